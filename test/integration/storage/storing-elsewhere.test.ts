import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { capture } from '../../support/http.ts';
import { startS3, S3_KEY } from '../../support/s3.ts';
import { runService, type RunningService, startService } from '../../support/service.ts';

const markup = { html_content: '<h1>Kept</h1>', window_width: 200, window_height: 100 };

describe('a service with an S3 bucket', () => {
  let s3: Awaited<ReturnType<typeof startS3>>;
  let service: RunningService;
  beforeAll(async () => {
    s3 = await startS3('captures');
    service = await startService({
      STORAGE: 's3://captures/pages',
      STORAGE_ENDPOINT: s3.origin,
      STORAGE_ACCESS_KEY_ID: S3_KEY,
      STORAGE_SECRET_ACCESS_KEY: S3_KEY,
    });
  });
  afterAll(async () => {
    await service[Symbol.asyncDispose]();
    await s3[Symbol.asyncDispose]();
  });

  it('stores the result there and answers with a link to it', async () => {
    const answer = await capture(service.url, { ...markup, store: true, store_path: 'a/b.png' });
    const url = answer.headers.get('x-stored-url') ?? '';
    const linked = await fetch(url);

    expect(url.startsWith(`${s3.origin}/captures/pages/a/b.png?`)).toBe(true);
    expect([linked.status, linked.headers.get('content-type')]).toEqual([200, 'image/png']);
    expect(Buffer.from(await linked.arrayBuffer()).equals(answer.body)).toBe(true);
  });

  it('has no stored-file links of its own', async () => {
    const answer = await fetch(`${service.url}/stored/a/b.png?expires=99999999999&signature=x`);

    expect(answer.status).toBe(403);
  });

  it('logs no keys', () => {
    expect(service.output()).not.toContain(S3_KEY);
  });
});

const IS_ROOT = process.getuid?.() === 0;
const CANNOT = 'the folder of STORAGE or DATA_DIR cannot be written';
const mountAt = (folder: string, options: string): void => {
  execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', folder]);
};

interface BadFolder {
  readonly title: string;
  /** Makes the folder unusable, and returns a function that repairs it. */
  readonly spoil: (folder: string) => Promise<() => void>;
  readonly details: string;
  readonly needsRoot: boolean;
}

describe.each<BadFolder>([
  {
    title: 'with a file in its place',
    spoil: async (folder) => {
      await writeFile(join(folder, 'data'), '');
      return () => rmSync(join(folder, 'data'));
    },
    details: `STORAGE: ${CANNOT}: a file exists where a folder is needed`,
    needsRoot: false,
  },
  {
    title: 'on a read-only disk',
    spoil: async (folder) => {
      mountAt(folder, 'ro');
      return () => execFileSync('mount', ['-o', 'remount,rw', folder]);
    },
    details: `STORAGE: ${CANNOT}: the disk is read-only`,
    needsRoot: true,
  },
  {
    title: 'on a full disk',
    spoil: async (folder) => {
      mountAt(folder, 'size=1m');
      await writeFile(join(folder, 'filler'), Buffer.alloc(1 << 21)).catch(() => undefined);
      return () => rmSync(join(folder, 'filler'));
    },
    details: 'STORAGE: the disk is full',
    needsRoot: true,
  },
])('a service whose DATA_DIR is $title', ({ spoil, details, needsRoot }) => {
  it.skipIf(needsRoot && !IS_ROOT)(
    'starts, captures, reports the cause, and stores once the folder is repaired',
    async () => {
      const folder = await mkdtemp(join(tmpdir(), 'storing-test-'));
      const repair = await spoil(folder);
      try {
        await using service = await startService({ DATA_DIR: join(folder, 'data') });
        const store = () => capture(service.url, { ...markup, store: true });
        const submit = () =>
          fetch(`${service.url}/jobs`, {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify({ capture: markup }),
          });

        const [plain, stored, job] = [await capture(service.url, markup), await store(), await submit()];
        const jobError = await job.text();

        expect([plain.status, stored.status, job.status]).toEqual([200, 502, 502]);
        expect(stored.json()).toMatchObject({ error_type: 'StorageError', error_details: details });
        expect(JSON.parse(jobError)).toMatchObject({ error_type: 'StorageError' });
        expect(stored.body.toString() + jobError).not.toContain(folder);
        expect(service.logs()).toContainEqual(
          expect.objectContaining({ level: 'warn', reason: expect.stringContaining(CANNOT) }),
        );

        repair();

        expect((await store()).status).toBe(200);
        await eventually(async () => expect((await submit()).status).toBe(202));
      } finally {
        execFileSync('sh', ['-c', 'umount "$1" 2> /dev/null || true', 'sh', folder]);
        await rm(folder, { recursive: true, force: true });
      }
    },
  );
});

describe('invalid storage settings', () => {
  it.each<[string, Readonly<Record<string, string>>, RegExp]>([
    [
      'a bucket without a key',
      { STORAGE: 's3://captures', STORAGE_ACCESS_KEY_ID: 'id' },
      /^Settings problem:\nSTORAGE_SECRET_ACCESS_KEY: is required, because STORAGE names a bucket/,
    ],
    [
      'an unknown kind of storage',
      { STORAGE: '/srv/captures' },
      /^Settings problem:\nSTORAGE: "\/srv\/captures" is not accepted: it is neither a folder nor a bucket\. Set it to file:/,
    ],
    [
      'an endpoint that contains a bucket',
      { STORAGE_ENDPOINT: 'https://s3.example.com/captures' },
      /^Settings problem:\nSTORAGE_ENDPOINT: .* is not accepted: it must be an origin without a path/,
    ],
    [
      'an invalid webhook key',
      { WEBHOOK_SECRET: 'whsec_c2hvcnQ=' },
      /^Settings problem:\nWEBHOOK_SECRET: the value given \(not shown\) is not accepted: one of the secrets/,
    ],
  ])('end the start with a clear error: %s', async (_, settings, words) => {
    const { code, errors } = await runService(settings);

    expect([code, errors]).toEqual([1, expect.stringMatching(words)]);
  });
});
