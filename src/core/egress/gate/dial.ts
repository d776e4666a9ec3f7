import { connect, type Socket } from 'node:net';
import { parseAddress } from '../address.ts';
import type { Destinations } from '../destination.ts';

const CONNECT_TIMEOUT_MS = 10_000;

/** Reasons for a failed connection. They select the error for the client. */
export type DialFailure = 'refused' | 'timed_out' | 'unreachable' | 'proxy_refused' | 'proxy_away';

/** A destination that the rules allowed. */
interface DialTarget {
  /** The requested host in canonical form: a name or an address. */
  readonly host: string;
  /** Checked addresses of the name. Empty if only a proxy can resolve it. */
  readonly addresses: readonly string[];
  readonly port: number;
}

/**
 * Connects to an allowed destination. The caller destroys the socket. `onSocket` gets every socket at once, so that it
 * can be destroyed while it connects.
 * @throws DialError
 */
export type Dial = (target: DialTarget, onSocket: (socket: Socket) => void) => Promise<Socket>;

/** Destinations of a capture, and the way to them. */
export interface EgressRoute extends Destinations {
  /** Connects to allowed destinations. Undefined: as the gate does. */
  readonly reach?: Dial | undefined;
}

export class DialError extends Error {
  override readonly name = 'DialError';
  readonly failure: DialFailure;

  constructor(failure: DialFailure) {
    super(`the connection was ${failure}`);
    this.failure = failure;
  }
}

/**
 * Connects to the first address that answers, and checks the address of the other end. Fails with the error of the last
 * address.
 */
export const dial: Dial = async ({ addresses, port }, onSocket) => {
  let failure: DialFailure = 'unreachable';
  for (const address of addresses) {
    const socket = connect({ host: address, port, noDelay: true, allowHalfOpen: true });
    onSocket(socket);
    const problem = await connected(socket);
    if (problem === undefined && isSame(socket.remoteAddress, address)) return socket;
    socket.destroy();
    failure = problem ?? 'unreachable';
  }
  throw new DialError(failure);
};

function connected(socket: Socket): Promise<DialFailure | undefined> {
  return new Promise((resolve) => {
    socket.setTimeout(CONNECT_TIMEOUT_MS, () => resolve('timed_out'));
    socket.once('connect', () => {
      socket.setTimeout(0);
      resolve(undefined);
    });
    socket.once('error', (error: Error & { readonly code?: string }) => {
      resolve(error.code === 'ECONNREFUSED' ? 'refused' : error.code === 'ETIMEDOUT' ? 'timed_out' : 'unreachable');
    });
    socket.once('close', () => resolve('unreachable'));
  });
}

function isSame(remote: string | undefined, dialled: string): boolean {
  return remote !== undefined && parseAddress(remote)?.toString() === parseAddress(dialled)?.toString();
}

/** The proxy refused to connect. The message contains neither its address nor the password. */
export class ProxyRefusedError extends Error {
  override readonly name = 'ProxyRefusedError';
}
