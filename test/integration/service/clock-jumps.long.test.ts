import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { createFixtureSite } from '../../support/fixture-site.ts';
import { capture } from '../../support/http.ts';
import { readHealth, startService } from '../../support/service.ts';

/** The library of Debian's package `faketime`: it reads the offset of the wall clock from a file at each call. */
const FAKETIME = ['x86_64', 'aarch64']
  .map((machine) => `/usr/lib/${machine}-linux-gnu/faketime/libfaketimeMT.so.1`)
  .find((path) => existsSync(path));
const HOUR_MS = 3_600_000;
const markup = { html_content: '<h1>Hello</h1>', window_width: 200, window_height: 100 };

describe.skipIf(FAKETIME === undefined)('a service whose wall clock jumps (needs faketime)', () => {
  it('completes jobs and captures, a day ahead, a day behind and back', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'clock-jumps-'));
    const offset = join(folder, 'offset');
    await writeFile(offset, '+0');
    await using site = await createFixtureSite();
    {
      await using service = await startService({
        DATA_DIR: join(folder, 'data'),
        JOB_CONCURRENCY: '1',
        JOB_RETENTION: '3600',
        LD_PRELOAD: FAKETIME ?? '',
        FAKETIME_TIMESTAMP_FILE: offset,
        FAKETIME_NO_CACHE: '1',
        FAKETIME_DONT_FAKE_MONOTONIC: '1',
        DONT_FAKE_MONOTONIC: '1',
      });
      const submit = async (fields: object): Promise<string> => {
        const response = await fetch(`${service.url}/jobs`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ capture: { ...markup, ...fields } }),
        });
        const { id } = await response.json();
        return id;
      };
      const becomes = (id: string, state: string) =>
        eventually(async () => {
          const job = await (await fetch(`${service.url}/jobs/${id}`)).json();
          expect(job).toMatchObject({ state });
          return job;
        });
      const first = await submit({});
      await becomes(first, 'done');

      for (const [text, hours] of [
        ['+1d', 24],
        ['-1d', -24],
        ['+0', 0],
      ] as const) {
        const running = await submit({ html_content: undefined, url: site.url('/slow?ms=1500') });
        const waiting = await submit({});
        await becomes(running, 'running');
        await writeFile(offset, text);

        const { timestamp } = await readHealth(service.url);
        const aheadHours = (Date.parse(timestamp) - Date.now()) / HOUR_MS;
        expect(Math.abs(aheadHours - hours)).toBeLessThan(1);
        expect(await becomes(running, 'done')).toMatchObject({ attempts: 1 });
        await becomes(waiting, 'done');
        await becomes(await submit({}), 'done');
        expect((await capture(service.url, markup)).status).toBe(200);
        expect((await fetch(`${service.url}/jobs/${first}/result`)).status).toBe(200);
      }

      expect((await readHealth(service.url)).browser.restarts).toBe(0);
      expect(service.logs().filter(({ level }) => level === 'error')).toEqual([]);
    }
    await rm(folder, { recursive: true });
  });
});
