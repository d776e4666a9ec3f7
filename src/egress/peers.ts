import { once } from 'node:events';
import { closeSync, openSync, readSync } from 'node:fs';
import { connect, createServer, isIPv4, type Socket } from 'node:net';
import { endianness } from 'node:os';
import type { Logger } from '../log.ts';
import { hasSocket } from './socket-files.ts';

const TABLE = '/proc/net/tcp'; // the browser connects to 127.0.0.1: never from a socket of the other table, tcp6
const SOON_MS = 250;
const PAGE_BYTES = 65_536; // what comes at once is 4 KB today
const LONGEST_STRETCH_MS = 4;
const LOOKS = 3; // a table that changes while it is read may lack a line

/** Whether the other end of a connection on this machine is ours: told as soon as can be, or when it costs least. */
export type IsOurs = (socket: Socket, when: 'now' | 'soon') => Promise<boolean>;

/** Whether a socket, by its inode, is one of ours; undefined when that can't be seen. */
export type OwnsSocket = (inode: string) => boolean | undefined;

interface Peer {
  readonly uid: number;
  readonly inode: string;
}

/**
 * Tells who connects over loopback: every user of the machine can, and every container of a pod. SOCKS in Chrome has no password, but
 * the kernel knows whose socket it is. One look at its table (1 to 2 ms, where it has room for 262,144 connections) serves all
 * connections that came before it. Where the table
 * is not to be had, or does not even show what we do ourselves, everybody counts as ours: see SECURITY.md.
 */
export async function createPeerCheck(owns: OwnsSocket, log: Logger): Promise<IsOurs> {
  const findPeer = createLooks();

  if (!(await seesOurselves((socket) => findPeer(socket, 'now')))) {
    log.info(
      'whose connections cross the gates can not be seen on this machine: every local process may use them',
    );
    return async () => true;
  }
  let hasWarned = false;
  return async (socket, when) => {
    const peer = await findPeer(socket, when);
    if (peer !== undefined && (owns(peer.inode) ?? peer.uid === process.geteuid?.())) return true;
    if (peer !== undefined && !hasWarned) {
      hasWarned = true;
      log.warn({ uid: peer.uid }, 'a process that is not ours tried to use a gate');
    }
    return false;
  };
}

interface Waiter {
  readonly socket: Socket;
  readonly tell: (peer: Peer | undefined) => void;
  readonly fail: (error: unknown) => void;
  looks: number;
}

/** One look after the other, each for all who wait for it. Gives the other end of a socket, or undefined when it is gone. */
function createLooks(): (socket: Socket, when: 'now' | 'soon') => Promise<Peer | undefined> {
  let waiting: Waiter[] = [];
  let timer: NodeJS.Timeout | undefined;
  let isLooking = false;

  const start = async (): Promise<void> => {
    if (isLooking || waiting.length === 0) return;
    clearTimeout(timer);
    timer = undefined;
    isLooking = true;
    const asked = waiting;
    waiting = [];
    try {
      for (const waiter of await lookFor(asked)) {
        if (++waiter.looks === LOOKS || waiter.socket.destroyed) waiter.tell(undefined);
        else waiting.push(waiter);
      }
    } catch (error) {
      for (const { fail } of asked) fail(error);
    }
    isLooking = false;
    if (waiting.length > 0) setImmediate(() => void start());
  };

  return (socket, when) =>
    new Promise((tell, fail) => {
      waiting.push({ socket, tell, fail, looks: 0 });
      // At the end of this turn of the loop, for those that are accepted in it, too.
      if (when === 'now') setImmediate(() => void start());
      else timer ??= setTimeout(() => void start(), SOON_MS).unref();
    });
}

/**
 * Tells those that it finds, and gives back the others. The kernel gives whole lines, a page of them at a time: it is read without
 * waiting, as each page would cost more through the thread pool, and no further than needed.
 */
async function lookFor(asked: readonly Waiter[]): Promise<readonly Waiter[]> {
  const file = openSync(TABLE, 'r');
  try {
    const page = Buffer.allocUnsafe(PAGE_BYTES);
    let missing = asked;
    let pausedAt = performance.now();
    while (missing.length > 0) {
      const length = readSync(file, page);
      if (length === 0) return missing;
      const lines = page.toString('latin1', 0, length);
      missing = missing.filter(({ socket, tell }) => {
        const peer = parsePeer(lines, socket);
        if (peer !== undefined) tell(peer);
        return peer === undefined;
      });
      if (performance.now() - pausedAt < LONGEST_STRETCH_MS) continue;
      await new Promise(setImmediate); // a machine with thousands of connections
      pausedAt = performance.now();
    }
    return missing;
  } finally {
    closeSync(file);
  }
}

/** Of the line of proc(5) net/tcp in which the other end of the socket is the local one. */
export function parsePeer(
  table: string,
  socket: Pick<Socket, 'remoteAddress' | 'remotePort' | 'localAddress' | 'localPort'>,
): Peer | undefined {
  const ends = [endOf(socket.remoteAddress, socket.remotePort), endOf(socket.localAddress, socket.localPort)];
  const start = table.indexOf(` ${ends.join(' ')} `);
  if (ends.includes(undefined) || start === -1) return undefined;
  const fields = table.slice(start + 1, table.indexOf('\n', start)).split(/ +/);
  const [uid, inode] = [fields[6], fields[8]];
  // What its process has closed belongs to nobody any more.
  return uid === undefined || inode === undefined || inode === '0' ? undefined : { uid: Number(uid), inode };
}

/** As the kernel writes it: the address as one number in the byte order of the machine. */
function endOf(address: string | undefined, port: number | undefined): string | undefined {
  if (address === undefined || port === undefined || !isIPv4(address)) return undefined;
  const bytes = address.split('.').map(Number);
  const ordered = Buffer.from(endianness() === 'LE' ? bytes.toReversed() : bytes);
  return `${ordered.toString('hex')}:${port.toString(16).padStart(4, '0')}`.toUpperCase();
}

/** Whether a connection of our own is found, as ours. */
async function seesOurselves(findPeer: (socket: Socket) => Promise<Peer | undefined>): Promise<boolean> {
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
    return peer?.uid === process.geteuid?.() && hasSocket('self', peer?.inode ?? '') === true;
  } catch {
    return false; // no such table, or no right to read it
  } finally {
    client?.destroy();
    server.close();
  }
}
