import type { RedisCommand } from '../stores/redis-connection.ts';
import type { RedisLink } from '../stores/redis-link.ts';
import { COUNTERS, type DayUsage, KEPT_DAYS, monthOf } from './usage-days.ts';
import { type Reservation, RESERVATION_MS, type UsageBatch, type UsageStore } from './usage-store.ts';
import { RENEW_SCRIPT, RESERVE_SCRIPT, WRITE_SCRIPT } from './redis-usage-scripts.ts';

const PREFIX = 'capture-service:usage';
/** Time for which a repeated batch is recognized. */
const BATCH_SECONDS = 3_600;
const KEPT_SECONDS = KEPT_DAYS * 24 * 3_600;
const LIFETIME = String(RESERVATION_MS);

/** Test command for new connections: reserves like a capture. */
export const USAGE_TRIAL: readonly RedisCommand[] = [
  evaluate(RESERVE_SCRIPT, [`${PREFIX}:trial`, `${PREFIX}:trial:held`], ['captures', '1', 'trial', '1']),
];

/**
 * Usage in Redis, shared by all instances. A hash for each key and month has the counters of its days, such as
 * `23.captures`, and the captures of the whole month, `captures`. Only hashes of earlier months expire: a Redis that
 * evicts keys with a TTL keeps quotas.
 */
export function createRedisUsageStore(link: RedisLink): UsageStore {
  const send = async (command: RedisCommand): Promise<unknown> => {
    const reply = await link.send(command);
    if (reply === undefined) throw new Error('Redis does not answer');
    return reply;
  };
  const reserve = async (
    { key, period, id }: Reservation,
    limit: number,
  ): Promise<readonly [taken: number, used: number, held: number]> => {
    const day = period.slice('2026-11-'.length);
    const counter = day === '' ? 'captures' : `${day}.captures`;
    const keys = [countersKey(key, period), heldKey(key, period)];
    const reply = await send(evaluate(RESERVE_SCRIPT, keys, [counter, String(limit), id, LIFETIME]));
    const [taken, used, held]: readonly unknown[] = Array.isArray(reply) ? reply : [];
    if (typeof taken === 'number' && typeof used === 'number' && typeof held === 'number') return [taken, used, held];
    throw new Error('Redis gave another answer than the script');
  };

  return {
    reserve: async (reservation, limit) => {
      const [taken, used, held] = await reserve(reservation, limit);
      return { isTaken: taken === 1, used, held };
    },
    standing: async (key, period) => {
      const [, used, held] = await reserve({ key, period, id: '' }, 0);
      return { used, held };
    },
    renew: async (reservations) => {
      const keys = reservations.map(({ key, period }) => heldKey(key, period));
      await send(evaluate(RENEW_SCRIPT, keys, [LIFETIME, ...reservations.map(({ id }) => id)]));
    },
    write: async (batch) => void (await send(writeCommand(batch))),
    read: async (key, from, to) => {
      const months = monthsOf(from, to);
      const replies = await Promise.all(months.map((month) => send(['HGETALL', countersKey(key, month)])));
      const days = replies.flatMap((reply, index) => readMonth(months[index] ?? '', reply));
      return days.filter(({ date }) => from <= date && date <= to);
    },
    close: async () => link.close(),
  };
}

function writeCommand({ id, changes }: UsageBatch): RedisCommand {
  const keys = [`${PREFIX}:batch:${id}`, `${PREFIX}:months`];
  const written: unknown[] = [];
  for (const { key, day, add, ended } of changes) {
    for (const reservation of ended) written.push([keys.push(heldKey(key, reservation.period)), reservation.id]);
    const counters = COUNTERS.flatMap((name) => {
      const increment = add[name];
      if (increment === undefined) return [];
      const ofDay: [string, number] = [`${day.slice(-2)}.${name}`, increment];
      return name === 'captures' ? [ofDay, ['captures', increment] satisfies [string, number]] : [ofDay];
    });
    if (counters.length === 0) continue;
    written.push([keys.push(countersKey(key, day)), Object.fromEntries(counters), monthNumber(day)]);
  }
  const latest = Math.max(...changes.map(({ day }) => monthNumber(day)));
  const lifetimes = [BATCH_SECONDS, KEPT_SECONDS];
  return evaluate(WRITE_SCRIPT, keys, [...[...lifetimes, latest].map(String), JSON.stringify(written)]);
}

/** Reads the hash of a month: names and values in turn. */
function readMonth(month: string, reply: unknown): DayUsage[] {
  const texts = Array.isArray(reply) ? reply.map(String) : [];
  const counters = new Map<string, number>();
  for (let at = 0; at < texts.length; at += 2) counters.set(texts[at] ?? '', Number(texts[at + 1]));
  const days = new Set([...counters.keys()].filter((name) => name.includes('.')).map((name) => name.slice(0, 2)));
  return [...days].toSorted().map((day) => {
    const of = (name: string): number => counters.get(`${day}.${name}`) ?? 0;
    return {
      date: `${month}-${day}`,
      captures: of('captures'),
      cached: of('cached'),
      failed: of('failed'),
      jobs: of('jobs'),
      bytes: of('bytes'),
    };
  });
}

/** The month as a number such as 202611. */
function monthNumber(day: string): number {
  return Number(monthOf(day).replace('-', ''));
}

function monthsOf(from: string, to: string): string[] {
  const months: string[] = [];
  // compared as numbers, because as text a year after 9999 begins with `+`
  const [month, end] = [new Date(`${monthOf(from)}-01`), Date.parse(to)];
  for (; month.getTime() <= end; month.setUTCMonth(month.getUTCMonth() + 1)) {
    months.push(monthOf(month.toISOString()));
  }
  return months;
}

function countersKey(key: string, dayOrMonth: string): string {
  return `${PREFIX}:days:${key}:${monthOf(dayOrMonth)}`;
}

function heldKey(key: string, period: string): string {
  return `${PREFIX}:held:${key}:${period}`;
}

function evaluate(script: string, keys: readonly string[], rest: readonly string[]): RedisCommand {
  return ['EVAL', script, String(keys.length), ...keys, ...rest];
}
