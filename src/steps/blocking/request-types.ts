import type { Page } from '../../browser/page/page.ts';
import { LIMIT_MS } from '../../time-limits.ts';
import { withTimeout } from '../../timeouts.ts';

const MAX_REMEMBERED = 20_000;

/** What the requests of a page are, as the Network domain tells of them. */
export interface RequestTypes {
  /** Undefined for one that is not told of in time: a worker's, from before it was listened to. */
  readonly typeOf: (requestId: string) => Promise<string | undefined>;
}

/** Remembers the types of all requests from now on. */
export async function followRequestTypes(page: Page): Promise<RequestTypes> {
  const types = new Map<string, string>();
  const waiting = new Map<string, PromiseWithResolvers<string>>();
  page.followSessions((session) => {
    session.on('Network.requestWillBeSent', ({ requestId, type = 'Other' }) => {
      if (types.size >= MAX_REMEMBERED) types.clear();
      types.set(requestId, type);
      waiting.get(requestId)?.resolve(type);
      waiting.delete(requestId);
    });
  });
  await page.onWorker(async () => undefined); // so that none begins before it is listened to

  return {
    // A renderer tells of a request before it makes it, but by another way.
    typeOf: async (requestId) => {
      const known = types.get(requestId);
      if (known !== undefined) return known;
      const told = waiting.get(requestId) ?? Promise.withResolvers<string>();
      waiting.set(requestId, told);
      return await withTimeout(told.promise, LIMIT_MS.requestType, () => new Error('not told')).catch(
        () => undefined,
      );
    },
  };
}
