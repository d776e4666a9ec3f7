import { describe, expect, it } from 'vitest';
import type { Page } from '../../../src/core/browser/page/page.ts';
import { createBlockedRequests } from '../../../src/core/steps/common/blocked-requests.ts';
import type { StepContext } from '../../../src/core/steps/common/step.ts';
import { blockByHost } from '../../../src/features/blocking/by-host.ts';
import type { GateSession } from '../../../src/core/egress/gate/gate-session.ts';
import { fake } from '../../support/fake.ts';

const NONE = { block_ads: false, block_trackers: false, block_chats: false, block_socials: false };
type IsUnwanted = Parameters<GateSession['block']>[0];

describe('blockByHost', () => {
  // The connection of a main frame was read before the event of its navigation, three times in 200 on a busy machine:
  // the page was lost.
  it('waits for the browser before it blocks a host, because the main frame may navigate there', async () => {
    const { isBlocked, announce } = await gateFor({ ...NONE, block_trackers: true });

    expect(await isBlocked('static.hotjar.com')).toBe(true);
    announce('http://static.hotjar.com/');
    expect(await isBlocked('static.hotjar.com')).toBe(false);
    expect(await isBlocked('script.hotjar.io')).toBe(false); // a host of the same owner
    expect(await isBlocked('www.google-analytics.com')).toBe(true);
  });

  it('makes no browser calls for hosts on no list', async () => {
    const { isBlocked, receivedCount } = await gateFor({ ...NONE, block_ads: true });

    expect(await isBlocked('www.example.com')).toBe(false);
    expect(await isBlocked('static.hotjar.com')).toBe(false);
    expect(receivedCount()).toBe(0);
  });

  it('does nothing if no field is set', async () => {
    await expect(blockByHost.apply(fake<Page>({}), NONE, fake<StepContext>({}))).resolves.toBeUndefined();
  });
});

/** Returns the gate of a page whose navigation is reported only after a check. */
async function gateFor(options: typeof NONE) {
  let unreported: string | undefined;
  let requested: string | undefined;
  let receivedCount = 0;
  const checks: IsUnwanted[] = [];
  const page: Pick<Page, 'mainFrame' | 'receivePendingEvents' | 'followSessions'> = {
    mainFrame: fake<Page['mainFrame']>({ current: () => undefined, lastRequested: () => requested }),
    receivePendingEvents: async () => {
      receivedCount++;
      requested = unreported;
    },
    followSessions: () => undefined,
  };
  const context: Pick<StepContext, 'url' | 'blocked' | 'gateSession'> = {
    url: 'http://www.example.com/',
    blocked: createBlockedRequests(),
    gateSession: { block: (isBlockedHost) => void checks.push(isBlockedHost) },
  };
  await blockByHost.apply(fake<Page>(page), options, fake<StepContext>(context));
  const [isBlockedHost] = checks;
  if (isBlockedHost === undefined) throw new Error('the step added no check to the gate');
  return {
    isBlocked: (host: string) => isBlockedHost({ host, port: 80, isWebSocket: false }),
    receivedCount: () => receivedCount,
    announce: (url: string) => {
      unreported = url;
    },
  };
}
