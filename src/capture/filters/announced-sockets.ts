import type { Page } from '../../browser/page/page.ts';

const MAX_WAITING = 1_000; // that have not connected yet

/** Gives the address of the WebSocket that connects to a host and port now; undefined when none was told of. */
export type AnnouncedSockets = (host: string, port: number) => Promise<string | undefined>;

/**
 * Which WebSocket a connection is for: a page makes them one after the other, and they are told of before they connect. Where it makes
 * several to one host at the same time, they are taken in the order in which it made them.
 */
export function announcedSockets(page: Page): AnnouncedSockets {
  const waiting: URL[] = [];
  page.followSessions((session) => {
    session.on('Network.webSocketCreated', ({ url }) => {
      const address = URL.parse(url);
      if (address !== null && waiting.length < MAX_WAITING) waiting.push(address);
    });
  });

  return async (host, port) => {
    await page.heardSoFar();
    const index = waiting.findIndex(
      (address) =>
        address.hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '') === host && portOf(address) === port,
    );
    const [address] = index === -1 ? [] : waiting.splice(index, 1);
    return address?.href;
  };
}

function portOf({ port, protocol }: URL): number {
  if (port !== '') return Number(port);
  return protocol === 'wss:' || protocol === 'https:' ? 443 : 80;
}
