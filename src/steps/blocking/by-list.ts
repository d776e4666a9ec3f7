import { raceAbort } from '../../timeouts.ts';
import type { Step } from '../common/step.ts';
import { blockByHost } from './by-host.ts';
import { usesLists } from './uses-lists.ts';

/** Where supplied markup is, to lists that tell a page's own site from others: all is from elsewhere. */
const NOWHERE = 'https://markup.invalid/';
/** Of frames whose addresses are remembered. A page may make any number; those beyond count as the page itself. */
const MAX_FRAMES = 1_000;

/**
 * Keeps away what the operator's lists say, frames included; the page itself is never asked about. Every request is held for that, which
 * costs it a round trip.
 */
export const blockByList: Step<typeof blockByHost.schema> = {
  name: 'block-by-list',
  schema: blockByHost.schema,
  apply: async (page, options, { lists, keptAway }) => {
    if (!usesLists(options)) return;
    const engine = await raceAbort(lists(), page.signal);
    if (engine === undefined) return;

    const { mainFrameId } = page;
    const isListed = engine.forPage();
    const origins = new Map<string, string>();
    let isExcepted = false;
    const remember = (frameId: string, url: string): void => {
      if (!origins.has(frameId) && origins.size >= MAX_FRAMES) return;
      origins.set(frameId, URL.parse(url)?.origin ?? NOWHERE);
    };

    keptAway.followRedirects(page);
    await page.intercept({
      // Neither `data:` nor `blob:`, which come from the page itself.
      patterns: [{ urlPattern: 'http*', requestStage: 'Request' }],
      onRequest: ({ requestId, networkId = requestId, frameId, resourceType, request: { url } }) => {
        const isDocument = resourceType === 'Document';
        if (isDocument && frameId === mainFrameId) {
          isExcepted = engine.excepts(url);
          remember(frameId, url);
          return undefined;
        }
        if (isExcepted) return undefined;
        const ofPage = origins.get(mainFrameId) ?? NOWHERE;
        // A frame is asked for by the page around it, all else by the frame that it is in.
        const source = isDocument ? ofPage : (origins.get(frameId) ?? ofPage);
        if (isListed({ url, resourceType, source })) {
          keptAway.add({ requestId: networkId, url, resourceType, frameId, keepsPlace: false });
          return { block: true };
        }
        if (isDocument) remember(frameId, url);
        return undefined;
      },
    });
  },
};
