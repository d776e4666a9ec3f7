import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { runCommand, startCommand } from '../../support/command-line.ts';
import { createFixtureSite, type FixtureSite } from '../../support/fixture-site.ts';
import { readPicture } from '../../support/pixels.ts';
import { childrenOf, processGroup } from '../../support/processes.ts';

describe('the command line without a service', () => {
  let site: FixtureSite;
  let folder: string;
  beforeAll(async () => {
    [site, folder] = await Promise.all([createFixtureSite(), mkdtemp(join(tmpdir(), 'command-alone-test-'))]);
  });
  afterAll(async () => {
    await site.close();
    await rm(folder, { recursive: true, force: true });
  });

  const alone = (args: readonly string[], environment: Readonly<Record<string, string>> = {}) =>
    runCommand(args, { folder, environment: { EGRESS_ALLOW: '127.0.0.0/8', ...environment } });

  it('captures in its own process and leaves no browser behind', async () => {
    const { code, errors } = await alone(['capture', site.url('/colours'), '-o', 'alone.png']);

    expect({ code, errors }).toEqual({
      code: 0,
      errors: expect.stringMatching(/^starting a browser\n.*status 200\n$/),
    });
    expect(await readPicture(await readFile(join(folder, 'alone.png')))).toMatchObject({
      format: 'png',
      width: 1280,
    });
    expect((await readdir(folder)).filter((name) => name.includes('profile'))).toEqual([]);
  });

  it('allows the private address that was typed, without its scheme, and no other', async () => {
    const { host, port } = new URL(site.origin);
    const elsewhere = `http://localhost:${port}/plain`;

    const typed = await alone(['capture', `${host}/colours`, '-o', 'typed.png'], { EGRESS_ALLOW: '' });
    const other = await alone(['capture', `${host}/redirect-to?url=${encodeURIComponent(elsewhere)}`], {
      EGRESS_ALLOW: '',
    });

    expect([typed.code, typed.errors]).toEqual([0, expect.stringMatching(/status 200\n$/)]);
    expect([other.code, other.errors]).toEqual([1, expect.stringContaining('DestinationNotAllowedError')]);
  });

  it('explains how to allow the private pages of a list', async () => {
    const { code, errors } = await runCommand(['capture', '--list', '-'], {
      folder,
      input: JSON.stringify({ url: site.url('/colours') }),
    });

    expect(code).toBe(1);
    expect(errors).toContain(`set EGRESS_ALLOW=${new URL(site.origin).host}\n`);
  });

  it.each([
    [2, { POOL_SIZE: 'many' }, /POOL_SIZE: "many" is not accepted/],
    [3, { BROWSER_EXECUTABLE: '/nowhere' }, /BROWSER_EXECUTABLE names a file that does not exist/],
  ])('exits with %d for %j', async (code, environment, message) => {
    const ended = await alone(['capture', site.url('/colours')], environment);

    expect(ended.errors).toMatch(message);
    expect(ended.code).toBe(code);
  });

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('exits on %s with %d, without a stack trace, and closes its browser', async (signal, code) => {
    const before = site.requests.length;
    const child = startCommand(['capture', site.url('/never')], {
      folder,
      environment: { EGRESS_ALLOW: '127.0.0.0/8' },
    });
    const exited = once(child, 'exit');
    await eventually(() => expect(site.requests.length).toBeGreaterThan(before));
    const browsers = childrenOf(child.pid ?? 0);

    child.kill(signal);
    const [errors] = await Promise.all([text(child.stderr), exited]);

    expect(child.exitCode).toBe(code);
    expect(errors).toBe(`starting a browser\ncapture-service: ended by ${signal}\n`);
    expect(browsers.length).toBeGreaterThan(0);
    expect(browsers.flatMap(({ pid }) => processGroup(pid))).toEqual([]);
    expect((await readdir(folder)).filter((name) => name.includes('profile'))).toEqual([]);
  });

  it('serves with settings as flags until a signal ends it', async () => {
    const child = startCommand(['serve', '--port', '0', '--log-format', 'json'], { folder });
    const exited = once(child, 'exit');
    let url = '';
    for await (const line of createInterface({ input: child.stdout })) {
      const { url: logged }: { readonly url?: string } = JSON.parse(line);
      if (logged === undefined) continue;
      url = logged;
      break;
    }
    child.stdout.resume();

    const { status } = await fetch(`${url}/health/live`);
    child.kill('SIGTERM');
    await exited;

    expect([status, child.exitCode]).toEqual([200, 0]);
  });

  it('refuses an invalid setting', async () => {
    await mkdir(join(folder, 'empty'), { recursive: true });

    const { code, errors } = await runCommand(['serve', '--port', 'http'], { folder: join(folder, 'empty') });

    expect([code, errors]).toEqual([2, expect.stringContaining('PORT: "http" is not accepted')]);
  });
});
