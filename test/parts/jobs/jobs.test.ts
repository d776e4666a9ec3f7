import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMemoryBudget } from '../../../src/core/ground/memory-budget.ts';
import { BACKGROUND } from '../../../src/core/queue/fair-share.ts';
import type { Capture } from '../../../src/core/capture/capture.ts';
import { ServiceError } from '../../../src/core/ground/errors.ts';
import { WEBHOOKS_AT_ONCE, WEBHOOKS_OF_OWNER } from '../../../src/parts/jobs/job-limits.ts';
import { createJobId } from '../../../src/parts/jobs/job-id.ts';
import type { JobRecord, NewJob } from '../../../src/parts/jobs/job.ts';
import { newKey, NO_KEYS, ringOf } from '../../support/keys.ts';
import type { Owners } from '../../../src/core/access/owners.ts';
import { createParseFields } from '../../../src/core/capture/request/request-parser.ts';
import { NO_TEMPLATES } from '../../../src/parts/templates/templates.ts';
import type { JobStore } from '../../../src/parts/jobs/job-store.ts';
import { createJobs, type Jobs } from '../../../src/parts/jobs/jobs.ts';
import type { AttemptEnd } from '../../../src/parts/jobs/run-job.ts';
import { openDatabase } from '../../../src/parts/jobs/sqlite/open-database.ts';
import { createSqliteStore } from '../../../src/parts/jobs/sqlite/sqlite-job-store.ts';
import type { Reserve } from '../../../src/parts/jobs/work-loop.ts';
import type { DeliverWebhook, WebhookMessage, WebhookOutcome } from '../../../src/parts/webhooks/webhook.ts';
import { abortReason } from '../../../src/core/ground/timeouts.ts';
import { eventually } from '../../support/eventually.ts';
import { createMemoryStorage, type MemoryStorage } from '../../support/memory-storage.ts';
import { CAPTURE_RESULT, idsOf } from '../../support/stored-capture.ts';

const url = 'https://example.com/';
const log = pino({ level: 'silent' });
const never = Promise.resolve(undefined);

let parent = '';
beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), 'jobs-'));
});
afterAll(() => rm(parent, { recursive: true }));

interface World extends AsyncDisposable {
  readonly jobs: Jobs;
  readonly store: JobStore;
  readonly storage: MemoryStorage;
  readonly ends: AttemptEnd[];
  readonly webhooks: string[];
  readonly submit: (given?: Partial<NewJob>) => Promise<string>;
  /** Resolves with the job when it has this state. */
  readonly becomes: (id: string, state: JobRecord['state']) => Promise<JobRecord>;
}

interface Given {
  readonly capture?: Capture;
  readonly deliver?: DeliverWebhook;
  readonly keys?: Owners;
  readonly onLostResult?: Parameters<typeof createJobs>[0]['onLostResult'];
  readonly concurrency?: number;
  readonly reserve?: Reserve;
  readonly retentionSeconds?: number;
  readonly retentionBytes?: number;
  /** Wraps the store. */
  readonly change?: (store: JobStore) => JobStore;
  readonly leaseMs?: number;
}

const succeed: Capture = async () => CAPTURE_RESULT;

/** Starts jobs with the given number of workers. */
async function start({ capture = succeed, deliver, change = (store) => store, ...given }: Given = {}): Promise<World> {
  const database = await openDatabase(await mkdtemp(join(parent, 'store-')));
  const leaseMs = given.leaseMs ?? 60_000;
  const inner = createSqliteStore({ database, leases: { jobMs: leaseMs, webhookMs: leaseMs } });
  const store = change(inner);
  const storage = createMemoryStorage();
  const [ends, webhooks]: [AttemptEnd[], string[]] = [[], []];
  const jobs = createJobs({
    store,
    storage,
    memory: createMemoryBudget(1e9),
    deliver:
      deliver &&
      (async (message, signal) => {
        const outcome = await deliver(message, signal);
        webhooks.push(outcome.kind);
        return outcome;
      }),
    keys: given.keys ?? NO_KEYS,
    ...(given.onLostResult && { onLostResult: given.onLostResult }),
    capture,
    parse: (fields, key) => createParseFields(NO_TEMPLATES.expand, { maxWaitMs: 60_000 })(fields, { key }),
    ...(given.reserve && { reserve: given.reserve }),
    concurrency: given.concurrency ?? 2,
    retentionSeconds: given.retentionSeconds ?? 1_000,
    retentionBytes: given.retentionBytes ?? 1e9,
    metrics: { recordJob: (end) => ends.push(end) },
    log,
    heartbeatMs: 30,
    delaysMs: [0],
    reportDelayMs: 1,
    sweepEveryMs: 20,
  });
  jobs.start();
  return {
    jobs,
    store: inner,
    storage,
    ends,
    webhooks,
    submit: async (job = {}) => {
      const [id = ''] = await idsOf(
        store.submit([{ id: createJobId(Date.now()), capture: { url }, origin: 'http://localhost:8080', ...job }]),
      );
      return id;
    },
    becomes: (id, state) =>
      eventually(async () => {
        const job = await inner.get(id);
        if (job?.state !== state) throw new Error(`the job is ${job?.state}`);
        return job;
      }),
    [Symbol.asyncDispose]: async () => {
      await jobs.stop();
      await jobs.close();
    },
  };
}

function parsed(message: WebhookMessage | undefined) {
  return JSON.parse(typeof message?.body === 'string' ? message.body : '');
}

/** Returns a capture that runs until its signal fires, and counts the running ones. */
function endless() {
  const signals: AbortSignal[] = [];
  const capture: Capture = (_options, { signal }) => {
    signals.push(signal);
    return new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(abortReason(signal)));
    });
  };
  return { signals, capture };
}

/** Returns the outcomes one after the other, and repeats the last one. */
const deliverAs = (...outcomes: WebhookOutcome[]) => {
  const messages: WebhookMessage[] = [];
  const deliver: DeliverWebhook = async (message) => {
    messages.push(message);
    return outcomes[Math.min(messages.length, outcomes.length) - 1] ?? { kind: 'delivered' };
  };
  return { messages, deliver };
};

describe('a job', () => {
  it('is done when its result and metadata are stored', async () => {
    const calls: Parameters<Capture>[] = [];
    await using world = await start({ capture: async (...all) => (calls.push(all), CAPTURE_RESULT) });

    const id = await world.submit({ capture: { url, format: 'pdf' } });
    const { result, attempts } = await world.becomes(id, 'done');

    const { file: body, facts } = CAPTURE_RESULT;
    expect(calls.map(([{ format }, { client }]) => [format, client])).toEqual([['pdf', BACKGROUND]]);
    const path = expect.stringMatching(`^~jobs/${id}-[\\da-f]{8}\\.pdf$`);
    expect([...world.storage.files]).toEqual([[path, { body, contentType: 'application/pdf' }]]);
    expect(result).toMatchObject({ path, bytes: body.length, cache: 'BYPASS', facts });
    expect([attempts, world.ends]).toEqual([1, ['done']]);
  });

  it('stays queued until a slot is reserved for it', async () => {
    const slot = Promise.withResolvers<() => void>();
    const { capture } = endless();
    await using world = await start({
      capture,
      reserve: (running) => (running === 0 ? slot.promise : never),
    });

    const id = await world.submit();
    const states: (string | undefined)[] = [(await world.store.get(id))?.state];
    slot.resolve(() => undefined);
    states.push((await world.becomes(id, 'running')).state);

    expect(states).toEqual(['queued', 'running']);
  });

  it('releases a reservation if no job is left', async () => {
    let released = 0;
    await using world = await start({ reserve: async () => () => void released++ });

    await eventually(() => expect(released).toBe(1));

    expect(await world.store.counts()).toMatchObject({ queued: 0, running: 0 });
  });

  it('copies its result to the path that the client requested', async () => {
    await using world = await start();

    const { result } = await world.becomes(await world.submit({ storePath: 'mine/a.png' }), 'done');

    expect([...world.storage.files.keys()].toSorted()).toEqual(['mine/a.png', result?.path]);
  });

  it('is captured with its key, and stores its result in the namespace of the key', async () => {
    const shop = newKey('shop');
    const captured: unknown[] = [];
    await using world = await start({
      keys: { isRequired: true, byId: (id) => (id === 'shop' ? shop : undefined) },
      capture: async (_, { key }) => {
        captured.push(key);
        return CAPTURE_RESULT;
      },
    });

    const { result } = await world.becomes(await world.submit({ owner: 'shop' }), 'done');

    expect(captured).toEqual([shop]);
    expect(result?.path).toMatch(/^~owners\/shop\/~jobs\//);
    expect([...world.storage.files.keys()]).toEqual([result?.path]);
  });

  it.each([
    ['its key has ended', { isRequired: true, owner: 'shop' }],
    ['AUTH_TOKEN was removed', { isRequired: true, owner: 'default' }],
    ['KEYS_FILE was removed', { isRequired: false, owner: 'shop' }],
  ])('fails without a capture if %s before it runs', async (_, { isRequired, owner }) => {
    let captures = 0;
    await using world = await start({
      keys: { isRequired, byId: () => undefined },
      capture: async () => {
        captures += 1;
        return CAPTURE_RESULT;
      },
    });

    const job = await world.becomes(await world.submit({ owner }), 'failed');

    expect([job.error?.type, job.attempts, captures]).toEqual(['AuthenticationError', 1, 0]);
    expect(job.error?.message).toContain('key of this job');
  });

  it('fails without a capture if its key may no longer use a field', async () => {
    const shop = { ...newKey('shop'), deniedFields: new Set(['url']) };
    await using world = await start({ keys: { isRequired: true, byId: () => shop } });

    const job = await world.becomes(await world.submit({ owner: 'shop' }), 'failed');

    expect(job.error).toMatchObject({
      type: 'FieldNotAllowedError',
      details: 'url: is in deny_fields of this key',
    });
  });

  it.each(['ElementNotFoundError', 'DestinationNotAllowedError', 'ValidationError'] as const)(
    'is not retried after a permanent error: %s',
    async (type) => {
      await using world = await start({
        capture: async () => {
          throw new ServiceError(type, undefined, { details: 'why' });
        },
      });

      const { attempts, error } = await world.becomes(await world.submit(), 'failed');

      expect([attempts, error]).toMatchObject([1, { type, details: 'why' }]);
    },
  );

  it('is not retried if the settings no longer allow it', async () => {
    await using world = await start();

    const { error } = await world.becomes(await world.submit({ capture: { url, window_width: 0 } }), 'failed');

    expect(error).toMatchObject({
      type: 'ValidationError',
      details: expect.stringContaining('window_width'),
    });
  });

  it('has three attempts and reports the error of the last one', async () => {
    let attempt = 0;
    await using world = await start({
      capture: async () => {
        attempt += 1;
        throw new ServiceError('NavigationError', `failure ${attempt}`);
      },
    });

    const { attempts, error } = await world.becomes(await world.submit(), 'failed');

    expect([attempts, error?.message, world.ends]).toEqual([3, 'failure 3', ['retried', 'retried', 'failed']]);
  });

  it('has one attempt if its batch says so', async () => {
    await using world = await start({ capture: () => Promise.reject(new ServiceError('TimeoutError')) });

    const id = await world.submit({ isTriedOnce: true });
    await eventually(() => expect(world.ends).toEqual(['failed']));

    expect((await world.store.get(id))?.attempts).toBe(1);
  });

  it.each(['RateLimitError', 'QuotaExceededError'] as const)('is retried after %s', async (type) => {
    let calls = 0;
    await using world = await start({
      capture: async () => {
        if (calls++ === 0) throw new ServiceError(type);
        return CAPTURE_RESULT;
      },
    });

    const { attempts } = await world.becomes(await world.submit(), 'done');

    expect(attempts).toBe(2);
  });

  it('reports a capture whose result cannot be stored, because the quota must not count it', async () => {
    const lost: unknown[] = [];
    await using world = await start({
      onLostResult: async (key) => void lost.push(key?.id),
      keys: ringOf('shop'),
    });
    let calls = 0;
    const { put } = world.storage;
    Object.assign(world.storage, {
      put: async (...args: Parameters<typeof put>) => {
        if (calls++ === 0) throw new ServiceError('StorageError');
        await put(...args);
      },
    });

    await world.becomes(await world.submit({ owner: 'shop' }), 'done');

    expect(lost).toEqual(['shop']);
  });

  it('is retried if its result cannot be stored', async () => {
    await using world = await start({
      capture: async () => {
        world.storage.isUnavailable = calls++ === 0;
        return CAPTURE_RESULT;
      },
    });
    let calls = 0;

    const { attempts } = await world.becomes(await world.submit(), 'done');

    expect([attempts, world.ends]).toEqual([2, ['retried', 'done']]);
  });

  it('is not captured again if the store misses its completion', async () => {
    let [captures, finishCalls] = [0, 0];
    await using world = await start({
      capture: async () => {
        captures += 1;
        return CAPTURE_RESULT;
      },
      change: (store) => ({
        ...store,
        finish: async (...all) => {
          if (finishCalls++ < 3) throw new ServiceError('StorageError');
          return await store.finish(...all);
        },
      }),
    });

    await world.becomes(await world.submit(), 'done');

    expect([captures, finishCalls]).toEqual([1, 4]);
  });

  // A full disk at this moment cost an attempt.
  it('is not captured again if the store cannot record its file at first', async () => {
    let [captures, recordCalls] = [0, 0];
    await using world = await start({
      capture: async () => {
        captures += 1;
        return CAPTURE_RESULT;
      },
      change: (store) => ({
        ...store,
        recordFile: async (...all) => {
          if (recordCalls++ < 3) throw new ServiceError('StorageError');
          await store.recordFile(...all);
        },
      }),
    });

    const { attempts } = await world.becomes(await world.submit(), 'done');

    expect([attempts, captures, recordCalls]).toEqual([1, 1, 4]);
  });

  // The next heartbeat came up to 20 seconds later, and the file stayed for ever.
  it('leaves no file at its store_path if another instance has cancelled it during the capture', async () => {
    await using world = await start({
      capture: async (_options, { id = '' }) => {
        await world.store.cancel(id);
        return CAPTURE_RESULT;
      },
    });

    const id = await world.submit({ storePath: 'mine/a.png' });

    await eventually(() => expect(world.ends).toEqual(['lost']));
    expect((await world.store.get(id))?.state).toBe('cancelled');
    expect([...world.storage.files.keys()]).toEqual([]);
  });

  it('that was interrupted three times fails without a fourth attempt', async () => {
    const { capture, signals } = endless();
    // The store hands out such a job after three processes have died with it.
    await using world = await start({
      capture,
      change: (store) => ({
        ...store,
        claim: async () => {
          const claimed = await store.claim();
          return claimed && { ...claimed, attempts: 4 };
        },
      }),
    });

    const { error } = await world.becomes(await world.submit(), 'failed');

    expect(error).toMatchObject({ type: 'InternalServerError', message: expect.stringContaining('3 times') });
    expect([signals.length, world.ends]).toEqual([0, ['failed']]);
  });

  it('is released at shutdown without counting an attempt', async () => {
    const { capture, signals } = endless();
    await using world = await start({ capture });
    const id = await world.submit();
    await eventually(() => expect(signals).toHaveLength(1));

    await world.jobs.stop();

    expect(await world.store.get(id)).toMatchObject({ state: 'queued', attempts: 0 });
    expect(world.ends).toEqual(['returned']);
  });

  it('is interrupted at once when it is cancelled', async () => {
    const { capture, signals } = endless();
    await using world = await start({ capture });
    const id = await world.submit();
    await eventually(() => expect(signals).toHaveLength(1));

    expect(await world.jobs.cancel(id)).toBe(true);

    expect(signals[0]?.aborted).toBe(true);
    await eventually(() => expect(world.ends).toEqual(['lost']));
    expect((await world.store.get(id))?.state).toBe('cancelled');
    expect(world.storage.files.size).toBe(0);
  });

  it('leaves no file when it is cancelled while its result is stored', async () => {
    await using world = await start();
    const { put } = world.storage;
    const release = Promise.withResolvers<void>();
    let started = 0;
    Object.assign(world.storage, {
      put: async (...all: Parameters<typeof put>) => {
        started += 1;
        await release.promise;
        await put(...all);
      },
    });
    const [own, theirs] = [await world.submit(), await world.submit({ storePath: 'mine.png' })];
    await eventually(() => expect(started).toBe(2));
    for (const id of [own, theirs]) await world.jobs.cancel(id);

    release.resolve();

    await eventually(() => expect(world.ends).toEqual(['lost', 'lost']));
    expect([...world.storage.files.keys()]).toEqual(['mine.png']);
  });

  it('is interrupted by the heartbeat when another instance has cancelled it', async () => {
    const { capture, signals } = endless();
    await using world = await start({ capture });
    const id = await world.submit();
    await eventually(() => expect(signals).toHaveLength(1));

    await world.store.cancel(id);

    await eventually(() => expect(signals[0]?.aborted).toBe(true));
  });

  it('extends its lease while it runs', async () => {
    const { capture, signals } = endless();
    await using world = await start({ capture, leaseMs: 1_000 });
    await world.submit();
    await eventually(() => expect(signals).toHaveLength(1));
    const startedAt = performance.now();

    await eventually(() => expect(performance.now() - startedAt).toBeGreaterThan(2_200));

    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
  });

  it('waits while the maximum number of jobs runs', async () => {
    const { capture, signals } = endless();
    await using world = await start({ capture, concurrency: 2 });
    for (let n = 0; n < 4; n++) await world.submit();

    await eventually(async () => expect(await world.store.counts()).toMatchObject({ queued: 2, running: 2 }));

    expect(signals).toHaveLength(2);
  });
});

describe('jobs of several keys', () => {
  // A job that waits for other jobs of its key would keep a place from jobs of other keys.
  it('take places in turn, and none for a key that has all the jobs it may run at once', async () => {
    const { signals, capture } = endless();
    const started: (string | undefined)[] = [];
    const keys = { ...NO_KEYS, byId: (id: string) => newKey(id, { concurrency: id === 'shop' ? 1 : 9 }) };
    await using world = await start({
      keys,
      concurrency: 3,
      capture: (options, context) => {
        started.push(context.key?.id);
        return capture(options, context);
      },
    });
    await world.store.submit(
      Array.from({ length: 5 }, () => ({
        id: createJobId(Date.now()),
        owner: 'shop',
        capture: { url },
        origin: url,
      })),
    );
    await eventually(() => expect(started).toEqual(['shop']));

    for (let n = 0; n < 3; n++) await world.submit({ owner: 'blog' });

    await eventually(() => expect(started).toEqual(['shop', 'blog', 'blog']));
    expect(signals).toHaveLength(3);
  });
});

describe('a webhook', () => {
  const webhookUrl = 'https://app.example.com/hook';

  it('sends the public fields of the job, once', async () => {
    const { messages, deliver } = deliverAs({ kind: 'delivered' });
    await using world = await start({ deliver });

    const id = await world.submit({
      webhookUrl,
      capture: { url, http_auth: { username: 'u', password: 'geheim' } },
    });
    await eventually(() => expect(world.webhooks).toEqual(['delivered']));

    const [message] = messages;
    expect(message).toMatchObject({ id: `job_${id}`, url: webhookUrl });
    expect(parsed(message)).toMatchObject({
      id,
      state: 'done',
      result: { url: expect.stringMatching(`^http://localhost:8080/stored/~jobs/${id}-[\\da-f]{8}\\.png$`) },
    });
    expect(message?.body).not.toContain('geheim');
    await eventually(async () => expect((await world.store.counts()).webhooks).toBe(0));
  });

  it('is kept for a retry when it fails', async () => {
    const { deliver } = deliverAs({ kind: 'retry', reason: 'no' });
    await using world = await start({ deliver });

    await world.submit({ webhookUrl });
    await eventually(() => expect(world.webhooks).toEqual(['retry']));

    expect((await world.store.counts()).webhooks).toBe(1);
  });

  it('is released at shutdown, for immediate delivery by the next process', async () => {
    const started = Promise.withResolvers<void>();
    await using world = await start({
      deliver: (_message, signal) => {
        started.resolve();
        return new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(abortReason(signal)));
        });
      },
    });
    const id = await world.submit({ webhookUrl });
    await started.promise;

    await world.jobs.stop();

    expect(await world.store.claimWebhook()).toMatchObject({ id, attempts: 1 });
  });

  it('is not delayed by receivers of another owner that never answer', async () => {
    const messages: WebhookMessage[] = [];
    await using world = await start({
      deliver: (message, signal) => {
        messages.push(message);
        if (message.url === webhookUrl) return Promise.resolve({ kind: 'delivered' });
        return new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(abortReason(signal)));
        });
      },
      keys: ringOf('shop', 'blog'),
    });
    const hanging = { owner: 'shop', webhookUrl: 'https://hanging.example/' };
    for (let n = 0; n < WEBHOOKS_AT_ONCE; n++) await world.submit(hanging);
    await world.becomes(await world.submit(hanging), 'done');

    await world.submit({ owner: 'blog', webhookUrl });

    await eventually(() => expect(world.webhooks).toEqual(['delivered']));
    expect(messages.filter(({ url: to }) => to === hanging.webhookUrl)).toHaveLength(WEBHOOKS_OF_OWNER);
  });

  it('is dropped after a permanent error', async () => {
    const { deliver } = deliverAs({ kind: 'ended', reason: '410' });
    await using world = await start({ deliver });

    await world.submit({ webhookUrl });

    await eventually(async () => {
      expect([world.webhooks, (await world.store.counts()).webhooks]).toEqual([['ended'], 0]);
    });
  });
});

describe('retention', () => {
  it('deletes expired results, but not the ones at a path of the client', async () => {
    await using world = await start({ retentionSeconds: 0 });

    const [own, theirs] = [await world.submit(), await world.submit({ storePath: 'mine.png' })];

    await eventually(async () => {
      expect([await world.store.get(own), await world.store.get(theirs)]).toEqual([undefined, undefined]);
    });
    expect([...world.storage.files.keys()]).toEqual(['mine.png']);
    expect(world.ends).toEqual(['done', 'done']);
  });

  it('sends a webhook that is due after JOB_RETENTION, with the final state of the job', async () => {
    const { messages, deliver } = deliverAs({ kind: 'retry', reason: 'busy', afterMs: 1 }, { kind: 'delivered' });
    const removed = Promise.withResolvers<void>();
    await using world = await start({
      retentionSeconds: 0,
      deliver,
      change: (store) => ({
        ...store,
        retryWebhook: async (claim) => {
          await removed.promise;
          await store.retryWebhook(claim, 0);
        },
      }),
    });
    const id = await world.submit({ webhookUrl: 'https://example.com/hook' });
    await eventually(async () => {
      expect(messages).toHaveLength(1);
      expect(await world.store.get(id)).toBeUndefined();
    });

    removed.resolve();

    await eventually(() => expect(messages).toHaveLength(2));
    const [first, second] = messages.map(parsed);
    expect(second).toMatchObject({ id, state: 'done', finished_at: first.finished_at });
    await eventually(async () => expect((await world.store.counts()).webhooks).toBe(0));
  });

  it('deletes the other jobs if one cannot be removed', async () => {
    await using world = await start({ retentionSeconds: 0 });
    const remove = world.storage.delete;
    let stuck = '';
    Object.assign(world.storage, {
      delete: async (path: string) => {
        stuck ||= path;
        if (path === stuck) throw new Error('this file stays');
        await remove(path);
      },
    });

    const ids = [await world.submit(), await world.submit(), await world.submit()];

    await eventually(async () => {
      const left = (await Promise.all(ids.map(world.store.get))).filter((job) => job !== undefined);
      expect(left).toHaveLength(1);
      expect(stuck).toContain(left[0]?.id);
    });
  });

  it('deletes the other jobs if one record is damaged', async () => {
    await using world = await start({
      retentionSeconds: 0,
      change: (store) => ({ ...store, tidy: () => Promise.reject(new ServiceError('StorageError')) }),
    });

    const id = await world.submit();

    await eventually(async () => expect(await world.store.get(id)).toBeUndefined());
  });

  it('deletes the oldest results beyond the size limit', async () => {
    await using world = await start({ retentionBytes: CAPTURE_RESULT.file.length });
    const first = await world.submit();
    await world.becomes(first, 'done');

    const second = await world.submit();

    await eventually(async () => expect((await world.store.get(first))?.hasLostResult).toBe(true));
    const { result } = await world.becomes(second, 'done');
    expect([...world.storage.files.keys()]).toEqual([result?.path]);
  });

  it('deletes nothing while the storage is unavailable, so no file is orphaned', async () => {
    await using world = await start({ retentionSeconds: 1 });
    const id = await world.submit();
    await world.becomes(id, 'done');
    world.storage.isUnavailable = true;
    let sweeps = 0;
    const find = world.store.findSweepable;
    Object.assign(world.store, {
      findSweepable: (...all: Parameters<typeof find>) => (sweeps++, find(...all)),
    });
    await eventually(async () => {
      expect((await find({ before: Date.now() - 1_000, maxBytes: Infinity, limit: 1 })).old).toHaveLength(1);
    });
    const before = sweeps;
    await eventually(() => expect(sweeps).toBeGreaterThan(before + 1));

    expect((await world.store.get(id))?.state).toBe('done');
    world.storage.isUnavailable = false;
    await eventually(async () => expect(await world.store.get(id)).toBeUndefined());
  });
});
