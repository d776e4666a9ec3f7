import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import type { Logger } from '../../log.ts';
import type { FindPeer } from './peer.ts';
import { openPeerQuery } from './peer-query.ts';
import { createTableLooks } from './peer-table.ts';
import { socketsOf } from './socket-files.ts';

/** Whether the other end of a connection on this machine is ours. */
export type IsOurs = (socket: Socket) => Promise<boolean>;

/** Whether a socket, by its inode, is one of ours; undefined when that can't be seen. */
export type OwnsSocket = (inode: string) => boolean | undefined;

/**
 * Tells who connects over loopback: every user of the machine can, and every container of a pod. SOCKS in Chrome has no password, but
 * the kernel knows whose socket it is. It is asked for the one connection; where it refuses that, its table of all is read. Where
 * neither is to be had, or shows not even what we do ourselves, everybody counts as ours: see SECURITY.md.
 */
export async function createPeerCheck(owns: OwnsSocket, log: Logger): Promise<IsOurs> {
  const findPeer = await firstThatSees([createQuery, async () => createTableLooks()]);

  if (findPeer === undefined) {
    log.info(
      'whose connections cross the gates can not be seen on this machine: every local process may use them',
    );
    return async () => true;
  }
  let hasWarned = false;
  return async (socket) => {
    const peer = await findPeer(socket);
    if (peer !== undefined && (owns(peer.inode) ?? peer.uid === process.geteuid?.())) return true;
    if (peer !== undefined && !hasWarned) {
      hasWarned = true;
      log.warn({ uid: peer.uid }, 'a process that is not ours tried to use a gate');
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

/** Whether a connection of our own is found, as ours. */
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
    return false; // no such table, or no right to read it
  } finally {
    client?.destroy();
    server.close();
  }
}
