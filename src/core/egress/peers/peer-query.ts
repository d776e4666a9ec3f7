import { endianness } from 'node:os';
import { isIPv4, type Socket } from 'node:net';

// Constants of netlink(7), sock_diag(7) and linux/inet_diag.h. The same on every Linux that Node supports.
const [AF_INET, AF_NETLINK, NETLINK_SOCK_DIAG, IPPROTO_TCP] = [2, 16, 4, 6];
const [SOCK_DGRAM, SOCK_CLOEXEC, MSG_DONTWAIT] = [2, 0o2000000, 0x40];
const [SOCK_DIAG_BY_FAMILY, NLM_F_REQUEST] = [20, 1];

/** Layout of nlmsghdr and inet_diag_req_v2. */
const QUERY = {
  bytes: 72,
  length: 0,
  type: 4,
  flags: 6,
  sequence: 8,
  family: 16,
  protocol: 17,
  states: 20,
  sourcePort: 24,
  destinationPort: 26,
  source: 28,
  destination: 44,
  cookie: 64,
};
/** Layout of nlmsghdr and inet_diag_msg. */
const ANSWER = { bytes: 88, type: 4, sequence: 8, sourcePort: 20, destinationPort: 22, uid: 80, inode: 84 };
const ANSWER_ROOM = 4_096;

/** Queries the kernel for a connection by its two ends. Undefined if it does not exist or its process has closed it. */
export type QueryPeer = (ends: ConnectionEnds) => Peer | undefined;

/**
 * Opens a netlink socket that queries the kernel for single connections, in about 3 µs each: the answer is there when
 * the query is sent. Calls libc, because Node has no netlink sockets. Undefined if that is impossible: not Linux, no
 * library binary for this machine, or a kernel or filter that refuses. The socket stays open for the life of the
 * process.
 */
export async function openPeerQuery(): Promise<QueryPeer | undefined> {
  if (process.platform !== 'linux' || endianness() !== 'LE') return undefined;
  const libc = await loadLibc();
  const socket = libc?.socket(AF_NETLINK, SOCK_DGRAM + SOCK_CLOEXEC, NETLINK_SOCK_DIAG) ?? -1;
  if (libc === undefined || socket < 0) return undefined;
  const answer = Buffer.alloc(ANSWER_ROOM);
  let sequence = 0;

  return (ends) => {
    sequence = (sequence + 1) % 2 ** 32;
    const query = encodeQuery(ends, sequence);
    if (query === undefined || libc.send(socket, query, query.length, 0) !== query.length) return undefined;
    // Skips an unread answer to an earlier query.
    for (;;) {
      const length = libc.recv(socket, answer, answer.length, MSG_DONTWAIT);
      if (length < QUERY.family) return undefined;
      if (answer.readUInt32LE(ANSWER.sequence) === sequence) return decodeAnswer(answer.subarray(0, length), ends);
    }
  };
}

/** Encodes the query for the socket at the other end: our local address is remote there. */
function encodeQuery(ends: ConnectionEnds, sequence: number): Buffer | undefined {
  const { remotePort, localPort } = ends;
  const [source, destination] = [ipv4Bytes(ends.remoteAddress), ipv4Bytes(ends.localAddress)];
  if (source === undefined || destination === undefined) return undefined;
  if (remotePort === undefined || localPort === undefined) return undefined;
  const query = Buffer.alloc(QUERY.bytes);
  query.writeUInt32LE(QUERY.bytes, QUERY.length);
  query.writeUInt16LE(SOCK_DIAG_BY_FAMILY, QUERY.type);
  query.writeUInt16LE(NLM_F_REQUEST, QUERY.flags);
  query.writeUInt32LE(sequence, QUERY.sequence);
  query[QUERY.family] = AF_INET;
  query[QUERY.protocol] = IPPROTO_TCP;
  query.fill(0xff, QUERY.states, QUERY.sourcePort);
  query.writeUInt16BE(remotePort, QUERY.sourcePort);
  query.writeUInt16BE(localPort, QUERY.destinationPort);
  query.set(source, QUERY.source);
  query.set(destination, QUERY.destination);
  query.fill(0xff, QUERY.cookie); // matches any cookie
  return query;
}

function decodeAnswer(answer: Buffer, { remotePort, localPort }: ConnectionEnds): Peer | undefined {
  if (answer.length < ANSWER.bytes || answer.readUInt16LE(ANSWER.type) !== SOCK_DIAG_BY_FAMILY) return undefined;
  // If the connection was closed, the kernel returns the listener on its port.
  const isIt =
    answer.readUInt16BE(ANSWER.sourcePort) === remotePort && answer.readUInt16BE(ANSWER.destinationPort) === localPort;
  const inode = answer.readUInt32LE(ANSWER.inode);
  return isIt && inode !== 0 ? { uid: answer.readUInt32LE(ANSWER.uid), inode: `${inode}` } : undefined;
}

interface Libc {
  readonly socket: (domain: number, type: number, protocol: number) => number;
  readonly send: (socket: number, message: Buffer, length: number, flags: number) => number;
  readonly recv: (socket: number, room: Buffer, length: number, flags: number) => number;
}

/** Looks up the functions in the libc that is loaded in this process. */
async function loadLibc(): Promise<Libc | undefined> {
  try {
    const { default: koffi } = await import('koffi');
    const libc = koffi.load(null);
    return {
      socket: libc.func('int socket(int, int, int)'),
      send: libc.func('intptr_t send(int, const void *, size_t, int)'),
      recv: libc.func('intptr_t recv(int, void *, size_t, int)'),
    };
  } catch {
    return undefined; // an optional dependency
  }
}

/** The other end of a loopback connection, as the kernel knows it. */
export interface Peer {
  readonly uid: number;
  readonly inode: string;
}

export type ConnectionEnds = Pick<Socket, 'remoteAddress' | 'remotePort' | 'localAddress' | 'localPort'>;

/** Returns the other end of a socket. Undefined if it has closed. */
export type FindPeer = (socket: ConnectionEnds & Pick<Socket, 'destroyed'>) => Promise<Peer | undefined>;

export function ipv4Bytes(address: string | undefined): readonly number[] | undefined {
  return address !== undefined && isIPv4(address) ? address.split('.').map(Number) : undefined;
}
