import { readFileSync } from 'node:fs';
import { endianness } from 'node:os';
import { type ConnectionEnds, type FindPeer, ipv4Bytes, type Peer } from './peer.ts';

const TABLE = '/proc/net/tcp'; // the browser connects to 127.0.0.1: never from a socket of the other table, tcp6
const LOOKS = 3; // a table that changes while it is read may lack a line

/**
 * Finds who connects in the kernel's table of all connections. To read it costs 1 to 3 ms where it has room for 262,144: so one look at
 * the end of each turn of the loop, for all who wait for it. Without waiting: each piece would cost more through the thread pool.
 */
export function createTableLooks(): FindPeer {
  let nextLook: Promise<string> | undefined;
  const look = async (): Promise<string> => {
    await new Promise(setImmediate);
    nextLook = undefined;
    return readFileSync(TABLE, 'latin1');
  };

  return async (socket) => {
    for (let left = LOOKS; left > 0 && !socket.destroyed; left--) {
      const peer = parsePeer(await (nextLook ??= look()), socket);
      if (peer !== undefined) return peer;
    }
    return undefined;
  };
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
