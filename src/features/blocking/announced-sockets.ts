import type { Page } from '../../core/browser/page/page.ts';
import { LIMIT_MS } from '../../core/ground/time-limits.ts';
import { withTimeout } from '../../core/ground/timeouts.ts';

const MAX_WAITING = 1_000; // announced sockets that have not connected yet

/**
 * Returns the address of the WebSocket that is connecting to a host and port. Undefined if it is not announced in time.
 */
export type AnnouncedSockets = (host: string, port: number) => Promise<string | undefined>;

/**
 * Finds the address for a WebSocket connection: the page announces each socket, and Chrome connects them in the order
 * of creation. On a busy machine, simultaneous sockets to one host may be swapped.
 */
export function announcedSockets(page: Page): AnnouncedSockets {
  const waiting: URL[] = [];
  const listeners = new Set<() => void>();
  page.followSessions((session) => {
    session.on('Network.webSocketCreated', ({ url }) => {
      const address = URL.parse(url);
      if (address !== null) waiting.push(address);
      // the oldest was blocked by the page's own rules, and will never connect
      if (waiting.length > MAX_WAITING) waiting.shift();
      for (const listener of listeners) listener();
    });
  });
  const take = (host: string, port: number): string | undefined => {
    const index = waiting.findIndex((address) => hostOf(address) === host && portOf(address) === port);
    const [address] = index === -1 ? [] : waiting.splice(index, 1);
    return address?.href;
  };

  return async (host, port) => {
    const known = take(host, port);
    if (known !== undefined) return known;
    // The announcement and the connection arrive by different channels, and sockets of shared workers are never
    // announced.
    const announced = Promise.withResolvers<string>();
    const listener = (): void => {
      const url = take(host, port);
      if (url !== undefined) announced.resolve(url);
    };
    listeners.add(listener);
    const inTime = withTimeout(
      announced.promise,
      LIMIT_MS.requestType,
      () => new Error('the socket was not announced'),
    );
    return await inTime.catch(() => undefined).finally(() => listeners.delete(listener));
  };
}

function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
}

function portOf({ port, protocol }: URL): number {
  if (port !== '') return Number(port);
  return protocol === 'wss:' || protocol === 'https:' ? 443 : 80;
}
