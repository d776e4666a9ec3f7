import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import type { Logger } from '../../log.ts';
import type { FindPeer } from './peer.ts';
import { openPeerQuery } from './peer-query.ts';
import { createTableLooks } from './peer-table.ts';
import { socketsOf } from './socket-files.ts';

/** Tells whether the other end of a local connection belongs to our browser. */
export type IsOurs = (socket: Socket) => Promise<boolean>;

/** Tells whether a socket, identified by its inode, is ours. Undefined if that can't be determined. */
export type OwnsSocket = (inode: string) => boolean | undefined;

/**
 * Creates a check for connections over loopback, which every user of the machine and every container of a pod can make. SOCKS in Chrome
 * has no password, but the kernel knows the owner of a socket. The check queries the one connection, or reads the table of all
 * connections if the kernel refuses. If both fail, or don't even show our own connections, everyone counts as ours: see SECURITY.md.
 */
export async function createPeerCheck(owns: OwnsSocket, log: Logger): Promise<IsOurs> {
  const findPeer = await firstThatSees([createQuery, async () => createTableLooks()]);

  if (findPeer === undefined) {
    log.info(
      "the owner of a local connection can't be determined on this machine: every local process may use the gates",
    );
    return async () => true;
  }
  let hasWarned = false;
  return async (socket) => {
    const peer = await findPeer(socket);
    if (peer !== undefined && (owns(peer.inode) ?? peer.uid === process.geteuid?.())) return true;
    if (peer !== undefined && !hasWarned) {
      hasWarned = true;
      log.warn({ uid: peer.uid }, 'a foreign process tried to use a gate');
    }
    return false;
  };
}

async function createQuery(): Promise<FindPeer | undefined> {
  const query = await openPeerQuery();
  return query === undefined ? undefined : async (socket) => query(socket);
}

async function firstThatSees(
  ways: readonly (() => Promise<FindPeer | undefined>)[],
): Promise<FindPeer | undefined> {
  for (const create of ways) {
    const findPeer = await create();
    if (findPeer !== undefined && (await seesOurselves(findPeer))) return findPeer;
  }
  return undefined;
}

/** True if the check finds a connection of our own and identifies it as ours. */
async function seesOurselves(findPeer: FindPeer): Promise<boolean> {
  const server = createServer().listen(0, '127.0.0.1');
  let client: Socket | undefined;
  try {
    await once(server, 'listening');
    const address = server.address();
    if (address === null || typeof address === 'string') return false;
    client = connect(address.port, '127.0.0.1');
    const [[accepted]] = await Promise.all([once(server, 'connection'), once(client, 'connect')]);
    const peer = await findPeer(accepted);
    accepted.destroy();
    return peer?.uid === process.geteuid?.() && socketsOf('self')?.has(peer?.inode ?? '') === true;
  } catch {
    return false; // the table does not exist, or is not readable
  } finally {
    client?.destroy();
    server.close();
  }
}
