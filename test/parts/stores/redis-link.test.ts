import pino from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { OpenRedis, RedisCommand } from '../../../src/parts/stores/redis-connection.ts';
import { createRedisLink, type RedisLink } from '../../../src/parts/stores/redis-link.ts';

const TIMEOUT_MS = 250;

describe('createRedisLink', () => {
  let redis: FakeRedis;
  let lines: string[];
  let link: RedisLink;
  const messages = (): string[] => lines.map((line) => JSON.parse(line).msg);

  beforeEach(async () => {
    vi.useFakeTimers();
    redis = createFakeRedis();
    lines = [];
  });

  afterEach(() => {
    link.close();
    vi.useRealTimers();
  });

  const connect = async (): Promise<void> => {
    link = await createRedisLink({
      open: redis.open,
      part: 'test',
      timeoutMs: TIMEOUT_MS,
      trial: [['TRY']],
      log: pino({}, { write: (line: string) => void lines.push(line) }),
    });
  };

  it('returns the reply, also null', async () => {
    await connect();
    redis.answer = async ([name]) => (name === 'GET' ? null : 'OK');

    expect(await link.send(['SET'])).toBe('OK');
    expect(await link.send(['GET'])).toBeNull();
    expect(lines).toEqual([]);
  });

  it('starts without Redis, logs that once, and connects as soon as Redis is up', async () => {
    redis.isThere = false;
    await connect();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await link.send(['GET'])).toBeUndefined();
    expect(messages()).toEqual(['Redis does not answer: this instance continues without it']);

    redis.isThere = true;
    await vi.advanceTimersByTimeAsync(500);

    expect(await link.send(['GET'])).toBe('OK');
    expect(messages().slice(1)).toEqual(['Redis answers again']);
  });

  it('waits for a hung Redis once, then sends no commands until a background probe succeeds', async () => {
    await connect();
    redis.answer = () => new Promise(() => undefined);
    const first = [link.send(['GET']), link.send(['GET'])];
    await vi.advanceTimersByTimeAsync(TIMEOUT_MS + 1);
    expect(await Promise.all(first)).toEqual([undefined, undefined]);

    const sent = redis.sent.length;
    expect(await link.send(['GET'])).toBeUndefined();
    expect(redis.sent.length).toBe(sent);
    expect(link.isUp()).toBe(false);
    expect(messages()).toHaveLength(1);

    redis.answer = async () => 'OK';
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await link.send(['GET'])).toBe('OK');
  });

  it('treats a Redis that refuses the probe as unavailable', async () => {
    await connect();
    redis.answer = async () => Promise.reject(new Error('OOM command not allowed'));

    expect(await link.send(['SET'])).toBeUndefined();
    await vi.advanceTimersByTimeAsync(5_000);
    expect(link.isUp()).toBe(false);
    expect(messages()).toHaveLength(1);
    expect(redis.connections).toBe(0);
  });

  it('accepts a Redis that stores another type under the probe key', async () => {
    await connect();
    const reason = 'WRONGTYPE Operation against a key holding the wrong kind of value';
    for (const message of [reason, `ERR Error running script: @user_script:5: ${reason}`]) {
      redis.answer = async () => Promise.reject(new Error(message));
      expect(await link.send(['GET'])).toBeUndefined();
    }

    expect(link.isUp()).toBe(true);
    expect(messages()).toEqual([]);
  });

  it('detects a broken connection without a command', async () => {
    await connect();
    redis.isThere = false;
    redis.lose();

    expect(link.isUp()).toBe(false);
    expect(messages()).toHaveLength(1);
  });

  it('warns once a minute about a Redis that repeatedly disconnects', async () => {
    await connect();
    for (let second = 0; second < 100; second += 1) {
      redis.lose();
      await vi.advanceTimersByTimeAsync(1_000);
      expect(link.isUp()).toBe(true);
    }

    const warnings = messages().filter((message) => message.includes('does not answer'));
    expect(warnings).toHaveLength(2);
  });

  it('leaves no timers or sockets after close, twice, connected or not', async () => {
    await connect();
    link.close();
    link.close();
    expect(redis.connections).toBe(0);
    expect(await link.send(['GET'])).toBeUndefined();

    redis.isThere = false;
    await connect();
    link.close();
    redis.isThere = true;
    await vi.advanceTimersByTimeAsync(5_000);
    expect(redis.connections).toBe(0);
    expect(vi.getTimerCount()).toBe(0);
  });
});

/** A fake Redis whose state the test sets. */
interface FakeRedis {
  isThere: boolean;
  answer: (command: RedisCommand) => Promise<unknown>;
  readonly sent: RedisCommand[];
  /** Number of open connections. */
  connections: number;
  /** Breaks all connections. */
  readonly lose: () => void;
  readonly open: OpenRedis;
}

function createFakeRedis(): FakeRedis {
  const losers = new Set<() => void>();
  const fake: FakeRedis = {
    isThere: true,
    answer: async () => 'OK',
    sent: [],
    connections: 0,
    lose: () => [...losers].forEach((lose) => lose()),
    open: async ({ onLost }) => {
      if (!fake.isThere) throw new Error('connect ECONNREFUSED');
      const lose = (): void => onLost(new Error('Socket closed unexpectedly'));
      losers.add(lose);
      fake.connections += 1;
      return {
        send: (command) => {
          fake.sent.push(command);
          return fake.answer(command);
        },
        destroy: () => {
          if (losers.delete(lose)) fake.connections -= 1;
        },
      };
    },
  };
  return fake;
}
