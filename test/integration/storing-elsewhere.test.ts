import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { capture } from '../support/http.ts';
import { startS3, S3_KEY } from '../support/s3.ts';
import { runService, type RunningService, startService } from '../support/service.ts';

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

describe('invalid storage settings', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'storing-test-'));
    await writeFile(join(folder, 'file'), '');
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it.each<[string, (inFolder: string) => Readonly<Record<string, string>>, RegExp]>([
    [
      'a bucket without a key',
      () => ({ STORAGE: 's3://captures', STORAGE_ACCESS_KEY_ID: 'id' }),
      /^Settings problem:\nSTORAGE_SECRET_ACCESS_KEY: it is needed beside STORAGE/,
    ],
    [
      'an unknown kind of storage',
      () => ({ STORAGE: '/srv/captures' }),
      /^Settings problem:\nSTORAGE: "\/srv\/captures" is not accepted: it is neither a folder nor a bucket\. Set it to file:/,
    ],
    [
      'an endpoint that contains a bucket',
      () => ({ STORAGE_ENDPOINT: 'https://s3.example.com/captures' }),
      /^Settings problem:\nSTORAGE_ENDPOINT: .* is not accepted: it must be an origin without a path/,
    ],
    [
      'an invalid webhook key',
      () => ({ WEBHOOK_SECRET: 'whsec_c2hvcnQ=' }),
      /^Settings problem:\nWEBHOOK_SECRET: the value given \(not shown\) is not accepted: one of the keys/,
    ],
    [
      'a folder that cannot be written',
      (inFolder) => ({ DATA_DIR: join(inFolder, 'file/data') }),
      /^Error: The folder of STORAGE or DATA_DIR cannot be written: ENOTDIR/,
    ],
  ])('end the start with a clear error: %s', async (_, settings, words) => {
    const { code, errors } = await runService(settings(folder));

    expect([code, errors]).toEqual([1, expect.stringMatching(words)]);
  });
});
