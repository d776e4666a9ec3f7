import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import * as fc from 'fast-check';
import pino from 'pino';
import { expect, it } from 'vitest';
import { createMemoryCache } from '../../../src/parts/cache/memory-cache.ts';
import { createCaching } from '../../../src/parts/cache/with-cache.ts';
import { FIELD_NAMES } from '../../../src/core/capture/request/options.ts';
import { ServiceError } from '../../../src/core/ground/errors.ts';
import { createKeyRing } from '../../../src/core/access/key-ring.ts';
import { SCOPES } from '../../../src/core/access/key.ts';
import { openTemplates } from '../../../src/parts/templates/templates.ts';
import { createMemoryUsageStore } from '../../../src/parts/usage/create-usage.ts';
import { createUsage } from '../../../src/parts/usage/usage.ts';
import { withQuota, withUsage } from '../../../src/parts/usage/with-usage.ts';
import { appWith } from '../../support/app.ts';
import { createMemoryStorage } from '../../support/memory-storage.ts';
import { idOf, KEYS, type RandomRequest, randomRequests, secretOf, toRequest } from '../../support/random-requests.ts';
import { CAPTURE_RESULT } from '../../support/stored-capture.ts';
import { templateFolders } from '../../support/template-folders.ts';

/** Set it for a longer run: ten minutes found no fault (2026-11-24). */
const MINUTES = Number(process.env['FUZZ_MINUTES'] ?? 0.25);
const AT_ONCE = 16;
const QUOTA = 100_000_000;
/** Longest time for which one request may block the event loop. */
const LONGEST_GAP_MS = 50;
const log = pino({ level: 'silent' });
const TEMPLATES = {
  'card/template.json': {
    fields: { window_width: 600 },
    data: { type: 'object', properties: { title: { type: 'string', maxLength: 200 } } },
  },
  'card/index.html':
    '{% capture t %}<h1>{{ title }}</h1>{% endcapture %}{{ t }}{% for a in rows %}{{ a.b }}{% endfor %}',
  'raw/template.json': { locked: true },
  'raw/index.html': '{{ html | raw }}',
  'inner/template.json': {
    fields: { url: 'https://inner.example/', custom_headers: { 'X-Key': 'operators-secret' } },
  },
};

/** Keys of different rights. All have a quota, which is counted, and none reaches it. */
function keyOf(n: number): object {
  const id = idOf(n);
  return {
    id,
    token_sha256: [createHash('sha256').update(id).digest('hex')],
    signing_secrets: [secretOf(id)],
    scopes: n % 5 === 0 ? ['capture'] : SCOPES,
    quota: { captures: QUOTA, per: 'month' },
    ...(n % 3 === 0 && { templates: ['card', 'raw'] }),
    ...(n % 7 === 0 && { templates_only: true }),
    ...(n % 4 === 0 && { deny_fields: ['custom_js', 'store'] }),
    ...(n % 6 === 0 && { egress_allow: ['*.example'] }),
  };
}

it(
  'keys, quotas and templates withstand random requests: no long work, no unexpected error, and a quota is what clients got',
  { timeout: MINUTES * 60_000 + 60_000 },
  async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'fuzz-keys-'));
    await using templateFolder = await templateFolders(TEMPLATES);
    const keysFile = join(folder.path, 'keys.json');
    await writeFile(keysFile, JSON.stringify({ keys: Array.from({ length: KEYS }, (_, n) => keyOf(n)) }));
    const keys = createKeyRing({
      keysFile,
      authToken: 'operator',
      urlSigningSecret: undefined,
      fieldNames: new Set(FIELD_NAMES),
      now: Date.now,
      log,
    });
    const templates = await openTemplates({
      folder: templateFolder.folder,
      limits: { maxWaitMs: 60_000 },
      log,
    });
    const usage = createUsage(await createMemoryUsageStore(), log);
    const made = new Map<string, number>();
    const seen = new Set<string>();
    const inner = withQuota(usage)(async (options, { key }) => {
      await new Promise(setImmediate);
      if (options.url?.startsWith('https://evil') === true) throw new ServiceError('NavigationError');
      if (
        JSON.stringify(options).includes('operators-secret') &&
        !String(options.url).startsWith('https://inner.example/')
      )
        seen.add(`the secret of the operator is sent to ${options.url}`);
      made.set(key?.id ?? '', (made.get(key?.id ?? '') ?? 0) + 1);
      return { ...CAPTURE_RESULT, file: Buffer.from(`picture ${made.get(key?.id ?? '')} of ${key?.id}`) };
    });
    const cache = createMemoryCache({ maxBytes: 1e6, collectGarbage: () => undefined });
    const app = appWith({
      keys,
      usage,
      templates,
      keysFile,
      mcp: true,
      maxBodyBytes: 1_000_000,
      resultStorage: createMemoryStorage(),
      capture: withUsage(usage)(createCaching({ cache, scope: '' }).around(inner)),
      now: () => Date.now() / 1_000,
    });
    const server = app.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    const received = new Map<string, Set<string>>();
    let sentCount = 0;

    const send = async (sent: RandomRequest): Promise<void> => {
      const [path, init] = toRequest(sent);
      if (path.length > 60_000) return; // Node refuses it
      // a header that fetch refuses
      const answer = await fetch(`http://127.0.0.1:${port}${path}`, init).catch(() => undefined);
      if (answer === undefined) return;
      sentCount++;
      const body = await answer.text();
      const isMade =
        sent.way === 'mcp'
          ? /"isError":true/.exec(body) === null && body.includes('"content"') && !body.includes('From the cache')
          : path.startsWith('/capture') &&
            (answer.status === 200 || answer.status === 304) &&
            answer.headers.get('x-cache') !== 'HIT';
      const id = idOf(sent.key);
      if (isMade && answer.headers.has('x-quota-limit')) {
        // Equal requests at the same time share a capture, which counts once.
        const [encoded = ''] = /cGljdHVyZSA[\w+/]+/.exec(body) ?? [];
        const [picture] = /picture \d+ of key-\d+/.exec(body + Buffer.from(encoded, 'base64').toString()) ?? [];
        const name = picture ?? answer.headers.get('etag') ?? `request ${sentCount}`;
        received.set(id, (received.get(id) ?? new Set()).add(name));
      }
      if (answer.status === 500 && body.includes('InternalServerError'))
        seen.add(`500: ${JSON.stringify(sent).slice(0, 500)}`);
    };

    /** Returns the longest gap of the event loop in milliseconds, the work of the client included. */
    const gapOf = async (sample: readonly RandomRequest[]): Promise<number> => {
      await new Promise(setImmediate); // the work of the generator does not count
      const delays = monitorEventLoopDelay({ resolution: 5 });
      delays.enable();
      await Promise.all(sample.map(send));
      delays.disable();
      return delays.max / 1e6;
    };
    const endsAtMs = performance.now() + MINUTES * 60_000;
    let longestMs = 0;
    for (let seed = Date.now(); performance.now() < endsAtMs; seed++) {
      const sample = fc.sample(randomRequests, { numRuns: AT_ONCE, seed });
      if ((await gapOf(sample)) <= LONGEST_GAP_MS) continue;
      for (const sent of sample) {
        // The shortest of three, because the garbage collection or another process may take its time.
        const ms = Math.min(await gapOf([sent]), await gapOf([sent]), await gapOf([sent]));
        longestMs = Math.max(longestMs, ms);
        if (ms > LONGEST_GAP_MS) seen.add(`${ms.toFixed(0)} ms: ${JSON.stringify(sent).slice(0, 300)}`);
      }
    }
    await new Promise((resolve) => server.close(resolve));
    const used: Record<string, number> = {};
    for (const id of made.keys()) {
      const key = keys.byId(id);
      if (key !== undefined) used[id] = (await usage.currentQuota(key))?.used ?? 0;
    }
    await Promise.all([usage.close(), templates.close()]);
    keys.close();

    process.stdout.write(
      `${sentCount} requests, ${[...made.values()].reduce((a, b) => a + b, 0)} captures, longest gap ${longestMs.toFixed(1)} ms\n`,
    );
    expect([...seen]).toEqual([]);
    expect(used).toEqual(Object.fromEntries([...received].map(([id, pictures]) => [id, pictures.size])));
  },
);
