import { isIPv4, type Socket } from 'node:net';

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
