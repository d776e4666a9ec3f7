import type { CDPSession } from 'puppeteer-core';
import { z } from 'zod';
import { booleanField } from '../fields.ts';
import type { Step } from '../step.ts';

const schema = z.object({
  block_media: booleanField({
    description: 'Pictures, video and audio are not loaded',
    example: true,
  }).default(false),
});

/** What the page may not load. Interception is on for these resource types only: it costs a round trip each. */
export const blocking: Step<typeof schema> = {
  name: 'blocking',
  schema,
  apply: async (page, options) => {
    if (!options.block_media) return;
    await page.onSession(blockMedia);
  },
};

async function blockMedia(session: CDPSession): Promise<void> {
  session.on('Fetch.requestPaused', ({ requestId }) => {
    // Already gone when it fails: the page navigated or was closed meanwhile.
    session.send('Fetch.failRequest', { requestId, errorReason: 'BlockedByClient' }).catch(() => undefined);
  });
  await session.send('Fetch.enable', {
    patterns: [
      { urlPattern: '*', resourceType: 'Image', requestStage: 'Request' },
      { urlPattern: '*', resourceType: 'Media', requestStage: 'Request' },
    ],
  });
}
