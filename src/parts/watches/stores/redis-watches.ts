import { z } from 'zod';
import { DEFAULT_KEY } from '../../../core/access/key.ts';
import { StorageProblem } from '../../../core/ground/errors.ts';
import type { RedisCommand } from '../../stores/redis-connection.ts';
import type { RedisLink } from '../../stores/redis-link.ts';
import { decodeRun, decodeWatch, type Watch } from '../watch.ts';
import { type Page, TAKEN_MS, type WatchStore } from '../watch-store.ts';

const PREFIX = 'capture-service:watches';

const KEYS = {
  /** Hash: records by id. */
  records: `${PREFIX}:records`,
  /** Hash: revisions by id. */
  revisions: `${PREFIX}:revisions`,
  /** Sorted set: ids of active watches by the time from which their run may begin. */
  due: `${PREFIX}:due`,
  /** Hash: times until which watches are taken, by id. */
  taken: `${PREFIX}:taken`,
  /** Sorted set of all ids. Their scores are equal, so they sort by creation. Each owner has such a set, too. */
  ids: `${PREFIX}:ids`,
  /** Set: ids of removed watches whose runs are still to be deleted. */
  removed: `${PREFIX}:removed`,
  trial: `${PREFIX}:trial`,
} as const;

const ADD = `
  if redis.call('HLEN', KEYS[1]) >= tonumber(ARGV[4]) then return 0 end
  if redis.call('ZCARD', KEYS[5]) >= tonumber(ARGV[6]) then return 0 end
  redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
  redis.call('HSET', KEYS[2], ARGV[1], ARGV[3])
  redis.call('ZADD', KEYS[4], 0, ARGV[1])
  redis.call('ZADD', KEYS[5], 0, ARGV[1])
  if ARGV[5] ~= '' then redis.call('ZADD', KEYS[3], ARGV[5], ARGV[1]) end
  return 1`;

const REPLACE = `
  local revision = redis.call('HGET', KEYS[2], ARGV[1])
  if not revision or revision ~= ARGV[3] then return 0 end
  redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
  redis.call('HSET', KEYS[2], ARGV[1], tonumber(ARGV[3]) + 1)
  if ARGV[4] == '' then redis.call('ZREM', KEYS[3], ARGV[1]) else redis.call('ZADD', KEYS[3], ARGV[4], ARGV[1]) end
  return 1`;

const REMOVE = `
  if redis.call('HDEL', KEYS[1], ARGV[1]) == 0 then return 0 end
  redis.call('HDEL', KEYS[2], ARGV[1])
  redis.call('ZREM', KEYS[3], ARGV[1])
  redis.call('ZREM', KEYS[4], ARGV[1])
  redis.call('ZREM', KEYS[5], ARGV[1])
  redis.call('HDEL', KEYS[6], ARGV[1])
  redis.call('SADD', KEYS[7], ARGV[1])
  return 1`;

/**
 * Takes the watch with an id, or the one that is due first. Arguments: the time, until when it is taken, the latest end
 * that counts, and the id or an empty text. Returns the id of the watch.
 */
const TAKE = `
  local function take(id)
    local ends = tonumber(redis.call('HGET', KEYS[2], id) or '0')
    if ends > tonumber(ARGV[1]) and ends <= tonumber(ARGV[3]) then return false end
    redis.call('HSET', KEYS[2], id, ARGV[2])
    return true
  end
  if ARGV[4] ~= '' then return take(ARGV[4]) and ARGV[4] or false end
  local from = 0
  while true do
    local ids = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', ARGV[1], 'LIMIT', from, 100)
    for _, id in ipairs(ids) do
      if take(id) then return id end
    end
    if #ids < 100 then return false end
    from = from + 100
  end`;

const PUT_RUN = `
  redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
  redis.call('ZADD', KEYS[2], 0, ARGV[1])
  if ARGV[3] ~= 'skipped' then redis.call('ZADD', KEYS[3], 0, ARGV[1]) end`;

/** Test commands for new connections: writes like the store. */
export const WATCH_TRIAL: readonly RedisCommand[] = [['SET', KEYS.trial, '1', 'PX', '1000']];

const count = z.number();
/** Redis answers with bytes. */
const text = z.union([z.string(), z.instanceof(Buffer).transform((bytes) => bytes.toString('utf8'))]);
const texts = z.array(z.union([text, z.null().transform(() => undefined)]));

/** Watches in Redis, shared by all instances. */
export function createRedisWatches(link: RedisLink): WatchStore {
  const send = async (command: RedisCommand): Promise<unknown> => {
    const reply = await link.send(command);
    if (reply === undefined) throw new StorageProblem('Redis does not answer', { isRetryable: true });
    return reply;
  };
  const run = (script: string, keys: readonly string[], args: readonly (string | number)[]): Promise<unknown> =>
    send(['EVAL', script, String(keys.length), ...keys, ...args.map(String)]);
  /** Returns ids, the last first. */
  const idsOf = async (key: string, { before, limit }: Page): Promise<string[]> => {
    const max = before === undefined ? '+' : `(${before}`;
    const reply = await send(['ZRANGE', key, max, '-', 'BYLEX', 'REV', 'LIMIT', '0', `${limit}`]);
    return texts.parse(reply).flatMap((id) => id ?? []);
  };
  const recordsOf = async (key: string, ids: readonly string[]): Promise<string[]> =>
    ids.length === 0 ? [] : texts.parse(await send(['HMGET', key, ...ids])).flatMap((text) => text ?? []);
  const get = async (id: string): Promise<Watch | undefined> => {
    const [text] = await recordsOf(KEYS.records, [id]);
    return text === undefined ? undefined : decodeWatch(text)[0];
  };
  const take = async (id: string, nowMs: number, untilMs: number): Promise<string | undefined> => {
    const taken = await run(TAKE, [KEYS.due, KEYS.taken], [nowMs, untilMs, nowMs + TAKEN_MS, id]);
    return taken === null ? undefined : text.parse(taken);
  };

  return {
    get,
    add: async (watch, most) => {
      const keys = [KEYS.records, KEYS.revisions, KEYS.due, KEYS.ids, ownedIds(watch.owner)];
      const { id, revision } = watch;
      const added = await run(ADD, keys, [id, JSON.stringify(watch), revision, most.all, dueOf(watch), most.own]);
      return count.parse(added) === 1;
    },
    list: async (owner, page) => {
      const ids = await idsOf(owner === undefined ? KEYS.ids : ownedIds(owner), page);
      return (await recordsOf(KEYS.records, ids)).flatMap(decodeWatch);
    },
    replace: async (watch) => {
      const next = JSON.stringify({ ...watch, revision: watch.revision + 1 });
      const keys = [KEYS.records, KEYS.revisions, KEYS.due];
      return count.parse(await run(REPLACE, keys, [watch.id, next, watch.revision, dueOf(watch)])) === 1;
    },
    remove: async (id) => {
      const { owner = DEFAULT_KEY } = (await get(id)) ?? {}; // a damaged record names none
      const keys = [KEYS.records, KEYS.revisions, KEYS.due, KEYS.ids, ownedIds(owner), KEYS.taken, KEYS.removed];
      return count.parse(await run(REMOVE, keys, [id])) === 1;
    },
    takeDue: async (nowMs, untilMs) => {
      for (;;) {
        const id = await take('', nowMs, untilMs);
        const watch = id === undefined ? undefined : await get(id);
        if (id === undefined || watch !== undefined) return watch;
      }
    },
    take: async (id, nowMs, untilMs) => (await take(id, nowMs, untilMs)) !== undefined,
    giveBack: async (id) => void (await send(['HDEL', KEYS.taken, id])),
    ...createRunCalls({ send, run, idsOf, recordsOf }),
    counts: async () => {
      const active = count.parse(await send(['ZCARD', KEYS.due]));
      return { active, paused: count.parse(await send(['HLEN', KEYS.records])) - active };
    },
    close: async () => link.close(),
  };
}

interface RunRecordOptions {
  readonly send: (command: RedisCommand) => Promise<unknown>;
  readonly run: (script: string, keys: readonly string[], args: readonly (string | number)[]) => Promise<unknown>;
  readonly idsOf: (key: string, page: Page) => Promise<string[]>;
  readonly recordsOf: (key: string, ids: readonly string[]) => Promise<string[]>;
}

type RunCalls = Pick<WatchStore, 'putRun' | 'getRun' | 'runs' | 'oldestOf' | 'dropRuns' | 'leftovers'>;

/** The runs of watches. */
function createRunCalls({ send, run, idsOf, recordsOf }: RunRecordOptions): RunCalls {
  const runsOf: WatchStore['runs'] = async (watch, page) => {
    const ids = await idsOf(runIds(watch), page);
    return (await recordsOf(runRecords(watch), ids)).flatMap(decodeRun);
  };
  return {
    putRun: async (done) => {
      const keys = [runRecords(done.watch), runIds(done.watch), madeIds(done.watch)];
      await run(PUT_RUN, keys, [done.id, JSON.stringify(done), done.outcome]);
    },
    getRun: async (watch, id) => {
      const [text] = await recordsOf(runRecords(watch), [id]);
      return text === undefined ? undefined : decodeRun(text)[0];
    },
    runs: runsOf,
    oldestOf: async (watch, most) => {
      const range = ['+', '-', 'BYLEX', 'REV', 'LIMIT', `${most - 1}`, '1'];
      return texts.parse(await send(['ZRANGE', madeIds(watch), ...range]))[0];
    },
    dropRuns: async (watch, ids) => {
      if (ids.length === 0) return;
      for (const key of [runIds(watch), madeIds(watch)]) await send(['ZREM', key, ...ids]);
      await send(['HDEL', runRecords(watch), ...ids]);
    },
    leftovers: async (limit) => {
      for (;;) {
        const [watch] = texts.parse(await send(['SRANDMEMBER', KEYS.removed, '1']));
        if (watch === undefined) return undefined;
        const runs = await runsOf(watch, { limit });
        if (runs.length > 0) return { watch, runs };
        await send(['SREM', KEYS.removed, watch]);
      }
    },
  };
}

function dueOf({ nextAt, spreadMs }: Watch): string {
  return nextAt === null ? '' : String(nextAt + spreadMs);
}

function ownedIds(owner: string): string {
  return `${PREFIX}:ids:${owner}`;
}

function runIds(watch: string): string {
  return `${PREFIX}:run-ids:${watch}`;
}

/** Ids of runs that were not skipped. */
function madeIds(watch: string): string {
  return `${PREFIX}:made-ids:${watch}`;
}

function runRecords(watch: string): string {
  return `${PREFIX}:runs:${watch}`;
}
