import { closeSync, openSync, readSync } from 'node:fs';
import { endianness } from 'node:os';
import { type ConnectionEnds, type FindPeer, ipv4Bytes, type Peer } from './peer.ts';

const TABLE = '/proc/net/tcp'; // the browser connects to 127.0.0.1: never from a socket of the other table, tcp6
const PAGE_BYTES = 65_536; // what comes at once is 4 KB today
const LONGEST_STRETCH_MS = 4;
const LOOKS = 3; // a table that changes while it is read may lack a line

interface Waiter {
  readonly socket: Parameters<FindPeer>[0];
  readonly tell: (peer: Peer | undefined) => void;
  readonly fail: (error: unknown) => void;
  looks: number;
}

/**
 * Finds who connects in the kernel's table of all connections. To read it costs 1 to 3 ms where it has room for 262,144: so one look
 * after the other, each for all who wait for it.
 */
export function createTableLooks(): FindPeer {
  let waiting: Waiter[] = [];
  let isLooking = false;

  const start = async (): Promise<void> => {
    if (isLooking || waiting.length === 0) return;
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

  return (socket) =>
    new Promise((tell, fail) => {
      waiting.push({ socket, tell, fail, looks: 0 });
      // At the end of this turn of the loop, for those that are accepted in it, too.
      setImmediate(() => void start());
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
export function parsePeer(table: string, socket: ConnectionEnds): Peer | undefined {
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
  const bytes = ipv4Bytes(address);
  if (bytes === undefined || port === undefined) return undefined;
  const ordered = Buffer.from(endianness() === 'LE' ? bytes.toReversed() : bytes);
  return `${ordered.toString('hex')}:${port.toString(16).padStart(4, '0')}`.toUpperCase();
}
