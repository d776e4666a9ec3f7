import { mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { readExposition } from '../../support/exposition.ts';
import { capture } from '../../support/http.ts';
import { type RunningService, startService } from '../../support/service.ts';

const TEXT = 'notes of somebody else\n'.repeat(100);
const markup = { html_content: '<h1>Hello</h1>', window_width: 200, window_height: 100 };

describe('a service with an unusable jobs.sqlite', () => {
  let folder: string;
  let file: string;
  let service: RunningService;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'jobs-away-'));
    file = join(folder, 'jobs.sqlite');
    await writeFile(file, TEXT);
    service = await startService({ DATA_DIR: folder, RATE_LIMIT_ENABLED: 'false' });
  });
  afterAll(async () => {
    await service[Symbol.asyncDispose]();
    await rm(folder, { recursive: true });
  });

  const submit = (): Promise<Response> =>
    fetch(`${service.url}/jobs`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ capture: markup }),
    });
  const isAvailable = async (): Promise<number | undefined> => {
    const text = await (await fetch(`${service.url}/metrics`)).text();
    return readExposition(text).find(({ name }) => name === 'capture_service_jobs_available')?.value;
  };

  // The service did not start, and its supervisor restarted it in a loop.
  it('starts, captures, and reports the cause to clients of jobs until the file is moved away', async () => {
    const captured = await capture(service.url, markup);
    const ready = await fetch(`${service.url}/health/ready`);
    const refused = await submit();

    expect([captured.status, ready.status, refused.status]).toEqual([200, 200, 502]);
    const body = await refused.text();
    expect(JSON.parse(body)).toMatchObject({
      error_type: 'StorageError',
      error_details: expect.stringMatching(/jobs\.sqlite in DATA_DIR is not a database/),
    });
    expect(body).not.toContain(folder);
    expect(await ready.json()).toEqual({ status: 'ready', jobs: 'unavailable' });
    expect(await isAvailable()).toBe(0);
    expect(await readFile(file, 'utf8')).toBe(TEXT);

    await rename(file, `${file}.away`);

    await eventually(async () => expect((await submit()).status).toBe(202));
    await eventually(async () => expect(await isAvailable()).toBe(1));
  });

  it('answers /health/live and reads jobs while another process holds the write lock', async () => {
    const answer = await eventually(async () => {
      const submitted = await submit();
      expect(submitted.status).toBe(202);
      return submitted;
    });
    const job = `${service.url}${answer.headers.get('location')}`;
    const other = new DatabaseSync(file);
    await eventually(() => other.exec('BEGIN IMMEDIATE'));

    const cancelling = Promise.all(
      Array.from({ length: 35 }, async () => (await fetch(job, { method: 'DELETE' })).status),
    );
    let answered = 0;
    for (; answered < 20; answered++) await fetch(`${service.url}/health/live`);
    const read = await fetch(job);
    other.exec('ROLLBACK');
    other.close();

    expect([answered, read.status]).toEqual([20, 200]);
    expect(new Set(await cancelling)).toEqual(new Set([200]));
  });
});
