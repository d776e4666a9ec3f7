import type { Page } from '../../core/browser/page/page.ts';
import { LIMIT_MS } from '../../core/ground/time-limits.ts';
import { withTimeout } from '../../core/ground/timeouts.ts';

const MAX_REMEMBERED = 20_000;

/** Types of the requests of a page, from the Network domain. */
export interface RequestTypes {
  /**
   * Undefined if the type is not reported in time, for example for a worker's request before its session was attached.
   */
  readonly typeOf: (requestId: string) => Promise<string | undefined>;
}

/** Records the types of all requests from now on. */
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
  await page.onWorker(async () => undefined); // no worker starts before its session is attached

  return {
    // A renderer reports a request before it sends the request, but over another channel.
    typeOf: async (requestId) => {
      const known = types.get(requestId);
      if (known !== undefined) return known;
      const reported = waiting.get(requestId) ?? Promise.withResolvers<string>();
      waiting.set(requestId, reported);
      return await withTimeout(
        reported.promise,
        LIMIT_MS.requestType,
        () => new Error('the type was not reported'),
      ).catch(() => undefined);
    },
  };
}
