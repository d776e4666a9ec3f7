import type { Protocol } from 'puppeteer';
import { isStream } from './channels.ts';

/**
 * Time after which an unread body counts as complete. Chrome does not report the end of a fetch() until the page has
 * read its body, and many pages never read it.
 */
const UNREAD_MS = 400;
/** Like `UNREAD_MS`, for a body that has arrived completely. */
const UNREAD_WHOLE_MS = 30;
/** A response body in transfer, in bytes of the network. */
interface Body {
  readonly expected: number;
  readonly received: number;
  readonly timer: NodeJS.Timeout;
  /** True for a body that is a channel from its first bytes on: see `channels.ts`. */
  readonly isStream: boolean;
}

/**
 * Ends requests whose body the page does not read, a little after the last bytes, because the page may continue to
 * read.
 */
export function createBodies(end: (requestId: string) => void) {
  const bodies = new Map<string, Body>();
  const endSoon = (requestId: string, body: Omit<Body, 'timer'>): void => {
    clearTimeout(bodies.get(requestId)?.timer);
    const isWhole = body.received >= body.expected;
    const timer = setTimeout(end, isWhole ? UNREAD_WHOLE_MS : UNREAD_MS, requestId).unref();
    bodies.set(requestId, { ...body, timer });
  };

  return {
    begin: (requestId: string, response: Protocol.Network.Response): void =>
      endSoon(requestId, { expected: lengthOf(response), received: 0, isStream: isStream(response.mimeType) }),
    receive: (requestId: string, bytes: number): void => {
      const body = bodies.get(requestId);
      if (body?.isStream === true) end(requestId);
      else if (body !== undefined) endSoon(requestId, { ...body, received: body.received + bytes });
    },
    forget: (requestId: string): void => {
      clearTimeout(bodies.get(requestId)?.timer);
      bodies.delete(requestId);
    },
  };
}

/** Infinity if the length is not declared, because the end is unknown then. */
function lengthOf({ headers }: Protocol.Network.Response): number {
  const [, length] = Object.entries(headers).find(([name]) => name.toLowerCase() === 'content-length') ?? [];
  return length === undefined ? Infinity : Number(length);
}
