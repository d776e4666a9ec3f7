import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import request from 'supertest';
import { describe, expect, it } from 'vitest';
import { signedQuery } from '../../../src/core/access/signature.ts';
import { createRunningWork } from '../../../src/core/service/wrap-capture.ts';
import { createMemoryBudget, type MemoryBudget } from '../../../src/core/ground/memory-budget.ts';
import type { CaptureOptions } from '../../../src/core/capture/request/options.ts';
import type { Storage } from '../../../src/parts/storage/storage.ts';
import { appWith } from '../../support/app.ts';
import { eventually } from '../../support/eventually.ts';

const TARGET = { url: 'https://example.com/' };

/** A storage that stores nothing and blocks every write until `goOn` is called. */
function slowStorage(): { storage: Storage; puts: string[]; release: () => void } {
  const puts: string[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const storage: Storage = {
    put: async (path) => {
      puts.push(path);
      await promise;
    },
    get: async () => ({
      body: Readable.from([Buffer.from('<svg/>')]),
      contentType: 'image/svg+xml',
      bytes: 6,
    }),
    delete: async () => undefined,
    link: async (path) => ({ url: `/stored/${path}?signature=x`, expiresAt: new Date(0) }),
    [Symbol.asyncDispose]: async () => undefined,
  };
  return { storage, puts, release: resolve };
}

/** Reads a stored file while answers have this memory. Returns status and error type. */
async function readWithin(answers: MemoryBudget): Promise<unknown[]> {
  const budgets = { bodies: createMemoryBudget(1e9), answers };
  const app = appWith({
    resultStorage: slowStorage().storage,
    checkStoredLink: async () => undefined,
    budgets,
  });
  const { status, body } = await request(app).get('/stored/2026/11/24/a.svg?signature=x');
  return [status, body.error_type];
}

describe('storing', () => {
  it('is refused with an error before the capture if no storage is set', async () => {
    const captured: CaptureOptions[] = [];
    const app = appWith({ onCapture: (options) => captured.push(options) });

    const { status, body } = await request(app)
      .post('/capture')
      .send({ ...TARGET, store: true });

    expect([status, body.error_details]).toEqual([400, 'store: needs the setting STORAGE or DATA_DIR']);
    expect(captured).toEqual([]);
  });

  it('is waited for by the shutdown, as the capture is', async () => {
    const { storage, puts, release } = slowStorage();
    const running = createRunningWork();
    const app = appWith({ resultStorage: storage, countAsRunning: running.count });

    const answer = request(app)
      .post('/capture')
      .send({ ...TARGET, store: true })
      .then(({ status }) => status);
    await eventually(() => expect(puts).toHaveLength(1));
    const first = await Promise.race([running.idle().then(() => 'idle'), nextTurn('still running')]);
    release();

    expect(first).toBe('still running');
    await running.idle();
    expect(await answer).toBe(200);
  });

  it.each([{ store: true }, { store: false }, { store_path: 'reports/2026-11.pdf' }])(
    'is refused in the body of a signed link without fields, unless SIGNED_URL_ALLOW allows it: %j',
    async (fields) => {
      const { storage, puts, release } = slowStorage();
      release();
      const [field = ''] = Object.keys(fields);
      const pass = signedQuery(new Map([['expires', '9']]), 'secret');
      const post = (signedUrlAllow: ('store' | 'store_path')[]) =>
        request(appWith({ authToken: 'token', urlSigningSecret: 'secret', signedUrlAllow, resultStorage: storage }))
          .post(`/capture?${pass}`)
          .send({ ...TARGET, ...fields });

      const [refused, accepted] = [await post([]), await post(['store', 'store_path'])];

      expect([refused.status, refused.body.error_details]).toEqual([
        400,
        `${field}: is not accepted in a signed URL unless SIGNED_URL_ALLOW names it`,
      ]);
      expect(puts).toHaveLength(accepted.status === 200 && fields.store === true ? 1 : 0);
    },
  );

  // 2,000 clients that read slowly kept 2 GB.
  it('counts the memory of stored files that are read, and gives it back', async () => {
    const large = createMemoryBudget(1e9);

    expect(await readWithin(createMemoryBudget(100_000))).toEqual([503, 'OverloadedError']);
    expect(await readWithin(large)).toEqual([200, undefined]);
    expect(large.state()).toMatchObject({ usedBytes: 0 });
  });

  it('does not change the cache key of the capture', async () => {
    const captured: CaptureOptions[] = [];
    const { storage, release } = slowStorage();
    release();
    const app = appWith({ resultStorage: storage, onCapture: (options) => captured.push(options) });

    await request(app).post('/capture').send(TARGET);
    await request(app)
      .post('/capture')
      .send({ ...TARGET, store: true, store_path: 'a.png' });

    const [without, withStore] = captured.map((options) => JSON.stringify(options));
    expect(withStore).toBe(without);
  });

  it('holds a limited amount of results in memory while the storage is slow', async () => {
    const { storage, puts, release } = slowStorage();
    const answers = createMemoryBudget(5_000);
    const app = appWith({
      resultStorage: storage,
      result: { file: Buffer.alloc(3_000) },
      budgets: { bodies: createMemoryBudget(1e9), answers },
    });
    const store = (path: string) =>
      request(app)
        .post('/capture')
        .send({ ...TARGET, store: true, store_path: path })
        .then(({ status, body }) => [status, body.message]);

    const first = store('a');
    await eventually(() => {
      expect(puts).toEqual(['a']);
    });
    const second = await store('b');
    release();

    expect(second).toEqual([503, 'Too many large results wait to be stored']);
    expect((await first)[0]).toBe(200);
    expect(answers.state().usedBytes).toBe(0);
  });

  // A storage that does not answer held the memory of all answers: captures without `store` were refused.
  it('leaves half of the memory to captures that are not stored while the storage is slow', async () => {
    const { storage, puts, release } = slowStorage();
    const app = appWith({
      resultStorage: storage,
      result: { file: Buffer.alloc(100_000) },
      budgets: { bodies: createMemoryBudget(1e9), answers: createMemoryBudget(450_000) },
    });
    const send = (fields: object) =>
      request(app)
        .post('/capture')
        .send({ ...TARGET, ...fields })
        .then(({ status }) => status);

    const stored = ['a', 'b', 'c', 'd'].map((path) => send({ store: true, store_path: path }));
    await eventually(() => expect(puts).toHaveLength(2));
    const plain = [await send({}), await send({})];
    release();

    expect(plain).toEqual([200, 200]);
    expect((await Promise.all(stored)).map(String).toSorted()).toEqual(['200', '200', '503', '503']);
  });

  it('builds links with the host name of the request, and refuses an invalid name', async () => {
    const { storage, release } = slowStorage();
    release();
    const send = (host: string) =>
      request(appWith({ resultStorage: storage, authToken: 'token' }))
        .post('/capture')
        .set({ Host: host, Authorization: 'Bearer token' })
        .send({ ...TARGET, store: true, store_path: 'a.png' });

    const [named, odd] = [await send('captures.example.com:81'), await send('a.com/x?')];

    expect(named.headers['x-stored-url']).toBe('http://captures.example.com:81/stored/a.png?signature=x');
    expect([odd.status, odd.body.error_details]).toEqual([400, 'The Host header is not a valid name or address']);
  });
});

describe('a stored file', () => {
  it('is downloaded, not shown, if a browser could run it', async () => {
    const { storage } = slowStorage();
    const app = appWith({ resultStorage: storage, checkStoredLink: async () => undefined });

    const { headers } = await request(app).get('/stored/drawing.svg');

    expect(headers).toMatchObject({
      'content-type': 'image/svg+xml',
      'content-disposition': 'attachment; filename="drawing.svg"',
      'content-security-policy': 'sandbox',
    });
  });

  it.each(['/stored/', '/stored/..%2fa', '/stored/%2e%2e/a', '/stored/a%00b', '/stored/a//b', '/stored/~key'])(
    'is never read from outside the storage: %s',
    async (path) => {
      const reads: string[] = [];
      const { storage } = slowStorage();
      const app = appWith({
        resultStorage: {
          ...storage,
          get: async (stored) => {
            reads.push(stored);
            return undefined;
          },
        },
        checkStoredLink: async () => undefined, // skips the signature check
      });

      expect([(await request(app).get(path)).status, reads]).toEqual([404, []]);
    },
  );
});
