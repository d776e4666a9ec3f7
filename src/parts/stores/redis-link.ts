import { createThrottle, type Logger } from '../../core/ground/log.ts';
import { asError, withTimeout } from '../../core/ground/timeouts.ts';
import type { OpenRedis, RedisCommand, RedisConnection } from './redis-connection.ts';

const CONNECT_TIMEOUT_MS = 1_000;
const RETRY_MS = 500;

/** A connection to a Redis that may become unreachable. Calls then fail fast, and it reconnects automatically. */
export interface RedisLink {
  /** Returns the reply. Undefined if Redis is unreachable, too slow or refuses. Never rejects. */
  readonly send: (command: RedisCommand) => Promise<unknown>;
  /** True if Redis is in use at the moment. */
  readonly isUp: () => boolean;
  /** Idempotent. */
  readonly close: () => void;
}

interface LinkOptions {
  readonly open: OpenRedis;
  /** Purpose of the connection, for the log. */
  readonly part: string;
  /** Time limit of a reply. */
  readonly timeoutMs: number;
  /**
   * Commands sent on each new connection before it is used. They should match the purpose of the connection, so that a
   * Redis without write access counts as unreachable.
   */
  readonly trial: readonly RedisCommand[];
  readonly log: Logger;
}

/**
 * Resolves after the first attempt to connect, successful or not. A connection with any error is closed, and the link
 * tries new ones in the background. No request is delayed by more than one time limit.
 */
export async function createRedisLink(options: LinkOptions): Promise<RedisLink> {
  const { open, part, timeoutMs, trial, log } = options;
  const closing = new AbortController();
  const late = (): Error => new Error(`no reply within ${timeoutMs} ms`);
  let connection: RedisConnection | undefined;
  let retry: NodeJS.Timeout | undefined;
  const onceAMinute = createThrottle();
  let hasReportedLoss = false;

  const reportLoss = (error: unknown): void => {
    if (closing.signal.aborted) return;
    onceAMinute(() => {
      hasReportedLoss = true;
      log.warn({ part, reason: describe(error) }, 'Redis does not answer: this instance continues without it');
    });
  };
  const reportReconnect = (): void => {
    if (hasReportedLoss) log.info({ part }, 'Redis answers again');
    hasReportedLoss = false;
  };

  const connect = async (): Promise<void> => {
    const loss = new AbortController();
    const opened = await open({
      timeoutMs: CONNECT_TIMEOUT_MS,
      onLost: (error) => loss.abort(error),
    });
    try {
      for (const command of trial) await withTimeout(opened.send(command), timeoutMs, late);
      loss.signal.throwIfAborted();
      closing.signal.throwIfAborted();
    } catch (error) {
      opened.destroy();
      throw error;
    }
    connection = opened;
    loss.signal.addEventListener('abort', () => lose(opened, loss.signal.reason));
    reportReconnect();
  };

  /** Tries to connect until it succeeds or the link is closed. Never rejects. */
  const tryToConnect = async (): Promise<void> => {
    try {
      await connect();
    } catch (error) {
      reportLoss(error);
      if (!closing.signal.aborted) retry = setTimeout(() => void tryToConnect(), RETRY_MS).unref();
    }
  };

  const lose = (lost: RedisConnection, error: unknown): void => {
    if (connection !== lost) return; // every pending command reports the same loss
    connection = undefined;
    lost.destroy();
    reportLoss(error);
    void tryToConnect();
  };

  await tryToConnect();

  return {
    send: async (command) => {
      const used = connection;
      if (used === undefined) return undefined;
      try {
        return await withTimeout(used.send(command), timeoutMs, late);
      } catch (error) {
        if (!isAboutKey(error)) lose(used, error);
        return undefined;
      }
    },
    isUp: () => connection !== undefined,
    close: () => {
      closing.abort();
      clearTimeout(retry);
      connection?.destroy();
      connection = undefined;
    },
  };
}

/** True if another program uses our key, while Redis itself works. Scripts add words around the error. */
function isAboutKey(error: unknown): boolean {
  return /\bWRONGTYPE\b/.test(asError(error).message);
}

/** An error about several addresses of one name has a code and no message. */
function describe(thrown: unknown): string {
  const error: NodeJS.ErrnoException = asError(thrown);
  return error.message === '' ? (error.code ?? error.name) : error.message;
}
