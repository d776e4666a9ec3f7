import { ServiceError } from '../ground/errors.ts';
import { createCalls, PeerEndedError } from './peer-calls.ts';
import { type AnyValue, isKilled, type Peer, ProcessEndedError } from './peers.ts';

/**
 * Runs one call in a process of its own, which has ended when this settles: a thread would continue after its request
 * has ended.
 * @throws ProcessEndedError; the signal's reason; the error of the call
 */
export async function callOnce(start: () => Peer, args: readonly unknown[], signal: AbortSignal): Promise<AnyValue> {
  signal.throwIfAborted();
  const calls = createCalls({ name: 'a process', start });
  const kill = (): void => void calls.kill();
  signal.addEventListener('abort', kill);
  try {
    return await calls.call('run', args);
  } catch (error) {
    signal.throwIfAborted();
    throw error instanceof PeerEndedError ? error.cause : error;
  } finally {
    signal.removeEventListener('abort', kill);
    await calls.kill();
  }
}

/**
 * Like `callOnce`. A process that the system has killed is started once more.
 * @throws ServiceError OverloadedError if that is killed, too; TimeoutError at the time limit of the process
 */
export async function callTwice(start: () => Peer, args: readonly unknown[], signal: AbortSignal): Promise<AnyValue> {
  try {
    return await unlessKilled(() => callOnce(start, args, signal));
  } catch (error) {
    const isLate = error instanceof ProcessEndedError && error.signal === 'SIGTERM';
    throw isLate ? new ServiceError('TimeoutError', undefined, { cause: error }) : error;
  }
}

/**
 * Runs the work of a process again if the system kills it.
 * @throws ServiceError OverloadedError if it is killed twice; the error of the work
 */
export async function unlessKilled<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isKilled(error)) throw error;
  }
  try {
    return await work();
  } catch (error) {
    if (!isKilled(error)) throw error;
    const message = 'The system has ended a process of the service twice, most likely for lack of memory';
    throw new ServiceError('OverloadedError', message, { cause: error, retryAfterSeconds: 5 });
  }
}
