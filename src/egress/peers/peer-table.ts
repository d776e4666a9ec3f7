import { readFileSync } from 'node:fs';
import { endianness } from 'node:os';
import { type ConnectionEnds, type FindPeer, ipv4Bytes, type Peer } from './peer.ts';

const TABLE = '/proc/net/tcp'; // the browser connects to 127.0.0.1, never from a socket of the other table, tcp6
const LOOKS = 3; // a table that changes during the read may lack a line

/**
 * Finds the owner of a connection in the kernel's table of all connections. Reading it costs 1 to 3 ms with room for 262,144 entries, so
 * one read per turn of the event loop serves all waiting connections. Reads synchronously, because the thread pool would cost more for
 * each chunk.
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
