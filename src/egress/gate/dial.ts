import { connect, type Socket } from 'node:net';
import { parseAddress } from '../address.ts';

const CONNECT_TIMEOUT_MS = 10_000;

/** Why nothing could be reached; tells the client's error apart. */
export type DialFailure = 'refused' | 'timed_out' | 'unreachable' | 'proxy_refused' | 'proxy_away';

/** What the rules have allowed. */
interface DialTarget {
  /** As it was asked for, in its usual form: a name, or an address. */
  readonly host: string;
  /** The vetted addresses that the name has; none where only a proxy knows them. */
  readonly addresses: readonly string[];
  readonly port: number;
}

/**
 * Connects to what the rules have allowed. The caller destroys the socket; `onSocket` sees every socket as soon as it exists, so that
 * it can be destroyed while it connects.
 * @throws DialError
 */
export type Dial = (target: DialTarget, onSocket: (socket: Socket) => void) => Promise<Socket>;

export class DialError extends Error {
  override readonly name = 'DialError';
  readonly failure: DialFailure;

  constructor(failure: DialFailure) {
    super(`the connection was ${failure}`);
    this.failure = failure;
  }
}

/** Connects to the first of the addresses that answers, and checks that it is the one at the other end: its failure is that of the last. */
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
    socket.setTimeout(CONNECT_TIMEOUT_MS, () => {
      resolve('timed_out');
    });
    socket.once('connect', () => {
      socket.setTimeout(0);
      resolve(undefined);
    });
    socket.once('error', (error: Error & { readonly code?: string }) => {
      resolve(
        error.code === 'ECONNREFUSED' ? 'refused' : error.code === 'ETIMEDOUT' ? 'timed_out' : 'unreachable',
      );
    });
    socket.once('close', () => {
      resolve('unreachable');
    });
  });
}

function isSame(remote: string | undefined, dialled: string): boolean {
  return remote !== undefined && parseAddress(remote)?.toString() === parseAddress(dialled)?.toString();
}
