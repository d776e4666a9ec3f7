import { execFileSync } from 'node:child_process';
import { appendFile, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { createFixtureSite } from '../../support/fixture-site.ts';
import { capture } from '../../support/http.ts';
import { startService } from '../../support/service.ts';

const IS_ROOT = process.getuid?.() === 0;
const markup = { html_content: '<h1>Hello</h1>', window_width: 200, window_height: 100 };

/** Mounts a small disk. Disposing of it unmounts it. */
async function mountDisk(size = '4m') {
  const folder = await mkdtemp(join(tmpdir(), 'full-disk-'));
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder]);
  const filler = join(folder, 'filler');
  return {
    folder,
    fill: async (): Promise<void> => {
      for (const bytes of [1 << 20, 4_096]) {
        for (let left = 20_000; left > 0; left--) {
          if (
            !(await appendFile(filler, Buffer.alloc(bytes)).then(
              () => true,
              () => false,
            ))
          )
            break;
        }
      }
    },
    free: () => rm(filler),
    [Symbol.asyncDispose]: async () => {
      execFileSync('umount', ['--lazy', folder]);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

describe('a disk of DATA_DIR that becomes full while jobs run (needs root)', () => {
  it.skipIf(!IS_ROOT)('fails jobs with the cause, not captures, and loses no job once there is space', async () => {
    await using disk = await mountDisk();
    await using site = await createFixtureSite();
    await using service = await startService({ DATA_DIR: join(disk.folder, 'data'), JOB_CONCURRENCY: '1' });
    const post = (path: string, body: object): Promise<Response> =>
      fetch(service.url + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    const submit = async (fields: object): Promise<string> => {
      const { id } = await (await post('/jobs', { capture: { ...markup, ...fields } })).json();
      return id;
    };
    const jobOf = async (id: string) => await (await fetch(`${service.url}/jobs/${id}`)).json();
    const url = site.url('/slow?ms=1500');
    const [running, waiting] = [await submit({ html_content: undefined, url }), await submit({})];
    await eventually(async () => expect((await jobOf(running)).state).toBe('running'));

    await disk.fill();
    await eventually(() => expect(site.requests).not.toEqual([]));
    const refused = await eventually(async () => {
      const answer = await post('/jobs', { capture: markup });
      expect(answer.status).toBe(502);
      return await answer.json();
    });
    const [plain, stored] = [
      await capture(service.url, markup),
      await capture(service.url, { ...markup, store: true }),
    ];
    const ready = await (await fetch(`${service.url}/health/ready`)).json();
    await eventually(() =>
      expect(service.logs()).toContainEqual(
        expect.objectContaining({ msg: "the job store fails: jobs can't be accepted or run" }),
      ),
    );

    expect(refused).toMatchObject({
      error_type: 'StorageError',
      error_details: expect.stringContaining('the disk of DATA_DIR is full'),
    });
    expect([plain.status, stored.status]).toEqual([200, 502]);
    expect(stored.json()).toMatchObject({ error_details: 'STORAGE: the disk is full' });
    expect(ready).toEqual({ status: 'ready', jobs: 'unavailable' });
    expect((await jobOf(waiting)).state).toBe('queued');

    await disk.free();

    await eventually(async () => expect((await post('/jobs', { capture: markup })).status).toBe(202));
    for (const id of [running, waiting]) {
      await eventually(async () => expect(await jobOf(id)).toMatchObject({ state: 'done', attempts: 1 }));
    }
    expect((await (await fetch(`${service.url}/health/ready`)).json()).jobs).not.toBe('unavailable');
    expect((await capture(service.url, { ...markup, store: true })).status).toBe(200);
  });
});

describe('a temporary folder that is full (needs root)', () => {
  it.skipIf(!IS_ROOT)('is the cause of failed documents, which succeed once there is space', async () => {
    await using disk = await mountDisk('40m');
    await using service = await startService({}, { temporaryFolder: disk.folder });
    await disk.fill();

    for (const format of ['pdf', 'mhtml']) {
      expect((await capture(service.url, { ...markup, format })).json()).toMatchObject({
        error_type: 'InternalServerError',
        message: 'The temporary folder of the service is full',
      });
    }
    expect((await capture(service.url, markup)).status).toBe(200);
    await disk.free();
    for (const format of ['pdf', 'mhtml']) expect((await capture(service.url, { ...markup, format })).status).toBe(200);
  });

  it.skipIf(!IS_ROOT)('is the cause of failed starts, which leave nothing, until there is space', async () => {
    await using disk = await mountDisk('40m');
    await disk.fill();
    await using service = await startService({}, { temporaryFolder: disk.folder, untilReady: false });

    const failures = () => service.logs().filter(({ msg }) => msg === 'the browser does not start');
    await expect.poll(() => failures().length, { timeout: 20_000 }).toBeGreaterThan(1);
    expect((await capture(service.url, markup)).json()).toMatchObject({
      error_type: 'OverloadedError',
      message: "The browser can't be started: its temporary folder is full",
    });
    expect(JSON.stringify(failures()[0])).toMatch(/the temporary folder .* is full/);
    expect(await readdir(disk.folder)).toEqual(['filler']);
    await disk.free();

    await expect.poll(async () => (await capture(service.url, markup)).status, { timeout: 30_000 }).toBe(200);
  });
});
