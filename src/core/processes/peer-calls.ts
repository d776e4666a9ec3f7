import { parentPort } from 'node:worker_threads';
import { ServiceError, StorageProblem } from '../ground/errors.ts';
import { asError, monotonicMs, withTimeout } from '../ground/timeouts.ts';
import { type AnyValue, isKilled, type Peer, post } from './peers.ts';

/**
 * Maximum number of calls that wait for a peer: enough for many batches of 100 reads, and uses only a few megabytes.
 */
const MAX_WAITING = 2_000;
const CLOSE_LIMIT_MS = 1_500;
/** Delay before a new thread starts, if the last one died at once. */
const RESTART_MS = 1_000;

/** The thread or process has ended before it answered. `cause` is the reason, if it is known. */
export class PeerEndedError extends Error {
  override readonly name = 'PeerEndedError';
}

/** A call that is sent to a peer. */
export interface Call<Args extends readonly unknown[] = readonly AnyValue[]> {
  readonly id: number;
  readonly name: string;
  readonly args: Args;
  /** Time of the call by `monotonicMs`. */
  readonly sentAtMs: number;
}

/** A message of a peer. */
type Answer =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly error: PackedError }
  | { readonly event: unknown };

interface CallsOptions {
  /** Name of the peer for errors. */
  readonly name: string;
  readonly start: () => Peer;
  /** Error of a call if too many others wait. */
  readonly tooMany?: () => Error;
  /** Time limits of a call. The first call of a peer waits until it has read its modules. Default: none. */
  readonly limitsMs?: { readonly first: number; readonly others: number };
  readonly onEvent?: (event: AnyValue) => void;
  /** Called when the peer has died. */
  readonly onDeath?: (error: Error) => void;
}

/** Calls of a peer, which runs them outside of the event loop of this process. */
export interface Calls {
  /** Runs a call in the peer, and starts the peer if it does not run. */
  readonly call: (name: string, args: readonly unknown[]) => Promise<AnyValue>;
  /** Kills the peer, which rejects its calls. The next call starts another at once. Resolves when it has ended. */
  readonly kill: () => Promise<void>;
  /** Lets the peer finish its calls and end. Idempotent. */
  readonly close: () => Promise<void>;
}

interface Running {
  readonly peer: Peer;
  readonly waiting: Map<number, PromiseWithResolvers<AnyValue>>;
  readonly ended: Promise<void>;
  isStarting: boolean;
}

/** Sends calls to a peer. A peer that has died is started again by the next call. */
export function createCalls(options: CallsOptions): Calls {
  const { name: peerName, limitsMs } = options;
  let current: Running | undefined;
  let startedAtMs = Number.NEGATIVE_INFINITY;
  let closing: Promise<void> | undefined;
  let lastId = 0;

  const receive = (running: Running, answer: Answer): void => {
    if ('event' in answer) {
      options.onEvent?.(answer.event);
      return;
    }
    const { waiting, peer } = running;
    running.isStarting = false;
    const call = waiting.get(answer.id);
    waiting.delete(answer.id);
    if (waiting.size === 0) peer.unref();
    if ('error' in answer) call?.reject(unpackError(answer.error));
    else call?.resolve(answer.value);
  };
  const ended = (cause?: Error): PeerEndedError =>
    cause === undefined
      ? new PeerEndedError(`${peerName} ended: starting again`)
      : new PeerEndedError(`${peerName} ended: ${cause.message}`, { cause });
  const start = (): Running => {
    if (closing !== undefined) throw new PeerEndedError(`${peerName} is closed`);
    if (performance.now() - startedAtMs < RESTART_MS) throw ended();
    startedAtMs = performance.now();
    const end = Promise.withResolvers<void>();
    const running: Running = { peer: options.start(), waiting: new Map(), ended: end.promise, isStarting: true };
    running.peer.listen(
      (answer) => receive(running, answer),
      (reason) => {
        if (current === running) {
          current = undefined;
          if (isKilled(reason)) startedAtMs = Number.NEGATIVE_INFINITY; // the next one may have memory
          if (closing === undefined) options.onDeath?.(reason);
        }
        for (const { reject } of running.waiting.values()) reject(ended(reason));
        running.waiting.clear();
        end.resolve();
      },
    );
    return running;
  };
  return {
    call: async (name, args) => {
      // A thread that hangs on a network drive answers none of them.
      if ((current?.waiting.size ?? 0) >= MAX_WAITING) throw options.tooMany?.() ?? ended();
      const running = (current ??= start());
      const call: Call = { id: (lastId += 1), name, args, sentAtMs: monotonicMs() };
      const settled = Promise.withResolvers<AnyValue>();
      running.waiting.set(call.id, settled);
      running.peer.ref();
      running.peer.post(call);
      if (limitsMs === undefined) return await settled.promise;
      return await withTimeout(settled.promise, running.isStarting ? limitsMs.first : limitsMs.others, () => {
        running.isStarting = false; // the next calls need not wait as long
        return new Error(`${peerName} is too slow`);
      });
    },
    kill: async () => {
      const killed = current;
      current = undefined;
      startedAtMs = Number.NEGATIVE_INFINITY;
      if (killed === undefined) return;
      killed.peer.ref(); // until it has ended
      killed.peer.kill();
      await killed.ended;
    },
    close: () => (closing ??= close(current)),
  };
}

async function close(running: Running | undefined): Promise<void> {
  if (running === undefined) return;
  const { peer, ended } = running;
  peer.ref();
  peer.post('close');
  const timer = setTimeout(peer.kill, CLOSE_LIMIT_MS);
  await ended;
  clearTimeout(timer);
}

/**
 * Answers the calls of `createCalls` in its peer, which ends with this process. Returns a function that sends an event.
 * @param served `run` executes a call. `close` is called once, when no more calls follow
 */
export function serveCalls<Args extends readonly unknown[]>(served: {
  readonly run: (call: Call<Args>) => unknown;
  readonly close?: () => Promise<void>;
}): (event: unknown) => void {
  const answer = async (call: Call<Args>): Promise<void> => {
    const { id } = call;
    try {
      send({ id, value: await served.run(call) });
    } catch (error) {
      send({ id, error: packError(error) });
    }
  };
  const onMessage = (message: Call<Args> | 'close'): void => {
    if (message !== 'close') void answer(message);
    else void (served.close?.() ?? Promise.resolve()).finally(() => parentPort?.close());
  };
  if (parentPort !== null) parentPort.on('message', onMessage);
  else process.on('message', onMessage).once('disconnect', () => process.exit()); // the service has ended
  return (event) => send({ event });
}

function send(answer: Answer): void {
  if (parentPort === null) process.send?.(answer);
  else post(parentPort, answer);
}

/** An error as plain values, because errors lose their class on the way. */
interface PackedError {
  readonly message: string;
  readonly cause: unknown;
  readonly isProblem: boolean;
  /** Set for a ServiceError. */
  readonly service?: Pick<ServiceError, 'type' | 'details' | 'retryAfterSeconds'>;
}

function packError(thrown: unknown): PackedError {
  const { message, cause } = asError(thrown);
  if (thrown instanceof StorageProblem) return { message, cause, isProblem: true };
  if (!(thrown instanceof ServiceError)) return { message, cause: thrown, isProblem: false };
  const { type, details, retryAfterSeconds } = thrown;
  return { message, cause: thrown, isProblem: false, service: { type, details, retryAfterSeconds } };
}

function unpackError({ message, cause, isProblem, service }: PackedError): Error {
  if (service !== undefined) return new ServiceError(service.type, message, { ...service, cause });
  return isProblem ? new StorageProblem(message, { cause, isRetryable: true }) : asError(cause);
}
