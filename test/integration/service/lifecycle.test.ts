import { mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { readError } from '../../support/errors.ts';
import { createFixtureSite, type FixtureSite } from '../../support/fixture-site.ts';
import { capture } from '../../support/http.ts';
import { processGroup } from '../../support/processes.ts';
import { readHealth, removeUnused, runService, startService } from '../../support/service.ts';
import { sharedService } from '../../support/shared-service.ts';

describe('service startup', () => {
  it('reports all problems of the settings together and exits with code 1', async () => {
    const { code, errors } = await runService({
      PORT: '80a',
      POOL_SIZE: '0',
      RATE_LIMIT_CAPTURE: 'often',
      AUTH_TOKEN: 'has spaces in it',
    });

    expect(code).toBe(1);
    const [head, ...problems] = errors.trim().split('\n');
    expect(head).toBe('Settings problem:');
    expect(problems.map((line) => line.split(':')[0])).toEqual([
      'PORT',
      'AUTH_TOKEN',
      'RATE_LIMIT_CAPTURE',
      'POOL_SIZE',
    ]);
    expect(errors).toContain('PORT: "80a" is not accepted');
    expect(errors).not.toContain('has spaces in it');
  });

  it('exits with code 1 and one sentence if the browser does not exist', async () => {
    const { code, errors } = await runService({ BROWSER_EXECUTABLE: '/nowhere/chrome' });

    expect(code).toBe(1);
    expect(errors).toContain('BROWSER_EXECUTABLE');
    expect(errors).not.toMatch(/\n\s+at /);
  });

  it('exits with code 1 if the port is in use', async () => {
    const service = await sharedService();

    const { code, errors } = await runService({ PORT: new URL(service.url).port });

    expect(code).toBe(1);
    expect(errors).toMatch(
      /^Error: Port \d+ of 127\.0\.0\.1 is in use \(EADDRINUSE\): stop the program that uses it, or set another PORT/m,
    );
  });

  it('is not ready, and refuses captures at once, while no browser starts', async () => {
    await using service = await startService({ BROWSER_EXECUTABLE: process.execPath }, { untilReady: false });
    await eventually(() => expect(service.logs().map(({ msg }) => msg)).toContain('the browser does not start'));

    const answer = await capture(service.url, { html_content: 'x' });
    const ready = await fetch(`${service.url}/health/ready`);
    const health = await readHealth(service.url);

    expect(readError(answer)).toEqual({
      status: 503,
      error_type: 'OverloadedError',
      message: "The browser can't be started at the moment",
      retry_after: expect.any(Number),
    });
    expect(ready.status).toBe(503);
    expect(await ready.json()).toEqual({ status: 'not_ready', reason: 'browser_starting' });
    expect(health).toMatchObject({ status: 'unhealthy', browser: { connected: false, version: null } });
    expect((await fetch(`${service.url}/health/live`)).status).toBe(200);
  });

  it('removes the profile folders of a killed service', async () => {
    const temporaryFolder = mkdtempSync(join(tmpdir(), 'service-test-'));
    const killed = await startService({}, { temporaryFolder });
    await killed.stop('SIGKILL');
    const left = readdirSync(temporaryFolder);

    const next = await startService({}, { temporaryFolder });
    const swept = readdirSync(temporaryFolder);
    await next.stop();

    expect(left).toHaveLength(1);
    expect(swept).toHaveLength(1);
    expect(swept).not.toEqual(left);
    expect(next.logs()).toContainEqual(
      expect.objectContaining({ msg: 'removed profile folders of earlier runs', folders: 1 }),
    );
    expect(readdirSync(temporaryFolder)).toEqual([]);
    await removeUnused(temporaryFolder);
  });

  it.skipIf(process.getuid?.() !== 0)(
    'keeps the profile folders of a container that shares its temporary folder',
    async () => {
      const temporaryFolder = mkdtempSync(join(tmpdir(), 'service-test-'));
      await using first = await startService({}, { temporaryFolder });
      const own = readdirSync(temporaryFolder);
      const wrapper = ['unshare', '--pid', '--fork', '--kill-child', '--mount-proc'];
      const second = await startService({}, { temporaryFolder, machine: { user: undefined, wrapper } });
      const both = readdirSync(temporaryFolder);
      await second.stop('SIGKILL');

      expect(both).toHaveLength(2);
      expect(both).toEqual(expect.arrayContaining(own));
      expect((await capture(first.url, { html_content: '<p>first</p>' })).status).toBe(200);
      await first.stop();
      await removeUnused(temporaryFolder);
    },
  );
});

describe('service shutdown', () => {
  let site: FixtureSite;
  beforeAll(async () => {
    site = await createFixtureSite();
  });
  afterAll(() => site.close());

  it('finishes running captures after SIGTERM, refuses new ones, and leaves nothing behind', async () => {
    await using service = await startService();
    const browser = service.browserPid();
    const running = capture(service.url, { url: site.url('/slow?ms=1200') });
    await eventually(async () => expect((await readHealth(service.url)).pool.busy).toBe(1));

    const stopped = service.stop('SIGTERM');
    await eventually(async () => {
      const ready = await fetch(`${service.url}/health/ready`);
      expect([ready.status, await ready.json()]).toEqual([503, { status: 'not_ready', reason: 'shutting_down' }]);
    });
    const late = await capture(service.url, { url: site.url('/plain') });

    expect(readError(late)).toEqual({
      status: 503,
      error_type: 'OverloadedError',
      message: 'The service is shutting down',
      retry_after: 5,
    });
    expect((await running).status).toBe(200);
    expect(await stopped).toBe(0);
    expect(processGroup(browser)).toEqual([]);
    expect(readdirSync(service.temporaryFolder)).toEqual([]);
  });

  it('does not wait longer than SHUTDOWN_GRACE_MS', async () => {
    await using service = await startService({ SHUTDOWN_GRACE_MS: '300' });
    const browser = service.browserPid();
    const running = capture(service.url, { url: site.url('/never') }).catch((error: unknown) => error);
    await eventually(async () => expect((await readHealth(service.url)).pool.busy).toBe(1));

    const startedAt = performance.now();
    const code = await service.stop('SIGTERM');

    expect(code).toBe(0);
    expect(performance.now() - startedAt).toBeLessThan(20_000);
    expect(processGroup(browser)).toEqual([]);
    expect(readdirSync(service.temporaryFolder)).toEqual([]);
    await running;
  });

  it('is immediate if no capture runs', async () => {
    await using service = await startService({ SHUTDOWN_GRACE_MS: '60000' });

    const startedAt = performance.now();
    const code = await service.stop('SIGINT');

    expect(code).toBe(0);
    expect(performance.now() - startedAt).toBeLessThan(30_000);
  });

  it('ends the browser when the service is killed', async () => {
    await using service = await startService();
    const browser = service.browserPid();
    expect(processGroup(browser).length).toBeGreaterThan(0);

    await service.stop('SIGKILL');

    await eventually(() => expect(processGroup(browser)).toEqual([]));
  });
});
