import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { readFileSync } from 'node:fs';
import { endianness } from 'node:os';
import type { Logger } from '../../ground/log.ts';
import { type ConnectionEnds, type FindPeer, ipv4Bytes, openPeerQuery, type Peer } from './peer-query.ts';
import { socketsOf } from './socket-files.ts';

/** Tells whether the other end of a local connection belongs to our browser. */
export type IsOurs = (socket: Socket) => Promise<boolean>;

/** Tells whether a socket, identified by its inode, is ours. Undefined if that can't be determined. */
export type OwnsSocket = (inode: string) => boolean | undefined;

/**
 * Creates a check for connections over loopback, which every user of the machine and every container of a pod can make.
 * SOCKS in Chrome has no password, but the kernel knows the owner of a socket. The check queries the one connection, or
 * reads the table of all connections if the kernel refuses. If both fail, or don't even show our own connections,
 * everyone counts as ours: see SECURITY.md.
 */
export async function createPeerCheck(owns: OwnsSocket, log: Logger): Promise<IsOurs> {
  const findPeer = await firstThatSees([createQuery, async () => createTableReads()]);

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

async function firstThatSees(ways: readonly (() => Promise<FindPeer | undefined>)[]): Promise<FindPeer | undefined> {
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

const TABLE = '/proc/net/tcp'; // the browser connects to 127.0.0.1, never from a socket of the other table, tcp6
const MAX_READS = 3; // a table that changes during the read may lack a line

/**
 * Finds the owner of a connection in the kernel's table of all connections. Reading it costs 1 to 3 ms with room for
 * 262,144 entries, so one read per turn of the event loop serves all waiting connections. Reads synchronously, because
 * the thread pool would cost more for each chunk.
 */
export function createTableReads(): FindPeer {
  let nextRead: Promise<string> | undefined;
  const readTable = async (): Promise<string> => {
    await new Promise(setImmediate);
    nextRead = undefined;
    return readFileSync(TABLE, 'latin1');
  };

  return async (socket) => {
    for (let left = MAX_READS; left > 0 && !socket.destroyed; left--) {
      const peer = parsePeer(await (nextRead ??= readTable()), socket);
      if (peer !== undefined) return peer;
    }
    return undefined;
  };
}

/** Parses the line of proc(5) net/tcp whose local end is the other end of the socket. */
export function parsePeer(table: string, socket: ConnectionEnds): Peer | undefined {
  const ends = [endOf(socket.remoteAddress, socket.remotePort), endOf(socket.localAddress, socket.localPort)];
  const start = table.indexOf(` ${ends.join(' ')} `);
  if (ends.includes(undefined) || start === -1) return undefined;
  const fields = table.slice(start + 1, table.indexOf('\n', start)).split(/ +/);
  const [uid, inode] = [fields[6], fields[8]];
  // Connections that their process has closed have no owner.
  return uid === undefined || inode === undefined || inode === '0' ? undefined : { uid: Number(uid), inode };
}

/** Formats an address as the kernel does: one number in the byte order of the machine. */
function endOf(address: string | undefined, port: number | undefined): string | undefined {
  const bytes = ipv4Bytes(address);
  if (bytes === undefined || port === undefined) return undefined;
  const ordered = Buffer.from(endianness() === 'LE' ? bytes.toReversed() : bytes);
  return `${ordered.toString('hex')}:${port.toString(16).padStart(4, '0')}`.toUpperCase();
}
