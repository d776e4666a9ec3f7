import type { Logger } from '../log.ts';
import { asError, raceAbort } from '../timeouts.ts';
import type { OpenRedis, RedisCommand, RedisConnection } from './redis-connection.ts';

const CONNECT_TIMEOUT_MS = 1_000;
const RETRY_MS = 500;
const WARN_EVERY_MS = 60_000; // a Redis that comes and goes must not fill the log

/** A Redis that may go away: then nobody waits for it, and it is taken back by itself. */
export interface RedisLink {
  /** The reply; undefined when Redis is away, does not answer in time or refuses. Never rejects. */
  readonly ask: (command: RedisCommand) => Promise<unknown>;
  /** Whether it is asked at the moment. */
  readonly isUp: () => boolean;
  /** Safe to call twice. */
  readonly close: () => void;
}

interface LinkOptions {
  readonly open: OpenRedis;
  /** What it is for, in the log. */
  readonly part: string;
  /** How long one reply may take. */
  readonly timeoutMs: number;
  /**
   * Sent over each new connection before it is used. It should do what the link is for, so that a Redis that takes no writes, or has no
   * right for us to do them, counts as away.
   */
  readonly trial: readonly RedisCommand[];
  readonly log: Logger;
}

/**
 * Resolves when the first attempt to connect is over, successful or not. A connection on which anything went wrong is thrown away, and
 * new ones are tried in the background: no request is delayed by more than one time limit.
 */
export async function createRedisLink(options: LinkOptions): Promise<RedisLink> {
  const { open, part, timeoutMs, trial, log } = options;
  const closing = new AbortController();
  let connection: RedisConnection | undefined;
  let retry: NodeJS.Timeout | undefined;
  let warnedAtMs = Number.NEGATIVE_INFINITY;
  let toldAway = false;

  const tellAway = (error: unknown): void => {
    if (closing.signal.aborted || performance.now() - warnedAtMs < WARN_EVERY_MS) return;
    warnedAtMs = performance.now();
    toldAway = true;
    log.warn({ part, reason: describe(error) }, 'Redis does not answer: this instance continues without it');
  };
  const tellBack = (): void => {
    if (toldAway) log.info({ part }, 'Redis answers again');
    toldAway = false;
  };

  const connect = async (): Promise<void> => {
    const broken = new AbortController();
    const opened = await open({
      timeoutMs: CONNECT_TIMEOUT_MS,
      onLost: (error) => {
        broken.abort(error);
      },
    });
    try {
      for (const command of trial) await withReplyTimeout(opened.send(command), timeoutMs);
      broken.signal.throwIfAborted();
      closing.signal.throwIfAborted();
    } catch (error) {
      opened.destroy();
      throw error;
    }
    connection = opened;
    broken.signal.addEventListener('abort', () => {
      lose(opened, broken.signal.reason);
    });
    tellBack();
  };

  /** Goes on until it is connected or closed. Never rejects. */
  const tryToConnect = async (): Promise<void> => {
    try {
      await connect();
    } catch (error) {
      tellAway(error);
      if (!closing.signal.aborted) retry = setTimeout(() => void tryToConnect(), RETRY_MS).unref();
    }
  };

  const lose = (lost: RedisConnection, error: unknown): void => {
    if (connection !== lost) return; // every command that was on its way tells of the same loss
    connection = undefined;
    lost.destroy();
    tellAway(error);
    void tryToConnect();
  };

  await tryToConnect();

  return {
    ask: async (command) => {
      const used = connection;
      if (used === undefined) return undefined;
      try {
        return await withReplyTimeout(used.send(command), timeoutMs);
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

/** Something else is kept under the name of ours. The Redis is well, and a script tells of it with words around it. */
function isAboutKey(error: unknown): boolean {
  return /\bWRONGTYPE\b/.test(asError(error).message);
}

/** An error about several addresses of one name has a code and no message. */
function describe(thrown: unknown): string {
  const error: NodeJS.ErrnoException = asError(thrown);
  return error.message === '' ? (error.code ?? error.name) : error.message;
}

/** In a busy process the timer may be due while the reply lies in the socket: it is looked for once more. */
async function withReplyTimeout<T>(work: Promise<T>, ms: number): Promise<T> {
  const late = new AbortController();
  const timer = setTimeout(() => {
    setImmediate(() => {
      late.abort(new Error(`no reply within ${ms} ms`));
    });
  }, ms);
  try {
    return await raceAbort(work, late.signal);
  } finally {
    clearTimeout(timer);
  }
}
