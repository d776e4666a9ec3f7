import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { captureCommand } from '../../src/cli/capture-command.ts';
import type { CommandContext } from '../../src/cli/context.ts';
import { EXIT, UsageError } from '../../src/cli/exit.ts';
import { runCommand, startCommand } from '../support/command-line.ts';
import { EXAMPLE_PATH, EXAMPLE_ROUTES, exampleFields, toFlags } from '../support/example-fields.ts';
import { type FalseService, startFalseService } from '../support/false-service.ts';
import { createFixtureSite, type FixtureSite } from '../support/fixture-site.ts';
import { readPicture } from '../support/pixels.ts';
import { childrenOf, processGroup } from '../support/processes.ts';
import { type RunningService, startService } from '../support/service.ts';

const TOKEN = 'cafe'.repeat(16);
const SECRET = 'a-secret-for-links';

describe('the command line', () => {
  let site: FixtureSite;
  let service: RunningService;
  let falseService: FalseService;
  let folder: string;
  beforeAll(async () => {
    [site, service, falseService, folder] = await Promise.all([
      createFixtureSite({ moreRoutes: EXAMPLE_ROUTES }),
      startService({ AUTH_TOKEN: TOKEN, URL_SIGNING_SECRET: SECRET }),
      startFalseService(),
      mkdtemp(join(tmpdir(), 'command-line-test-')),
    ]);
  });
  afterAll(async () => {
    await Promise.all([service[Symbol.asyncDispose](), falseService[Symbol.asyncDispose](), site.close()]);
    await rm(folder, { recursive: true, force: true });
  });

  const run = (args: readonly string[], input?: string) =>
    runCommand(args, {
      folder,
      environment: { CAPTURE_SERVICE: service.url, CAPTURE_TOKEN: TOKEN },
      ...(input !== undefined && { input }),
    });
  /** For the command itself, in the process of the test. */
  const contextOf = (said: string[]): CommandContext => ({
    environment: { CAPTURE_SERVICE: service.url, CAPTURE_TOKEN: TOKEN },
    stdin: process.stdin,
    stdout: process.stdout,
    say: (line) => void said.push(line),
    signal: new AbortController().signal,
  });
  const alone = (args: readonly string[], environment: Readonly<Record<string, string>> = {}) =>
    runCommand(args, { folder, environment: { EGRESS_ALLOW: '127.0.0.0/8', ...environment } });
  const read = (name: string): Promise<Buffer> => readFile(join(folder, name));

  describe('with a service', () => {
    it('captures a page in the format of the extension, and tells of it', async () => {
      const { code, errors, output } = await run([
        'capture',
        site.url('/colours'),
        '-o',
        'new/page.jpg',
        '--window-width',
        '300',
        '--full-page',
      ]);

      const picture = await readPicture(await read('new/page.jpg'));
      expect({ code, output: output.length }).toEqual({ code: 0, output: 0 });
      expect(picture).toMatchObject({ format: 'jpeg', width: 300 });
      expect(errors).toMatch(
        new RegExp(`^${site.url('/colours')} -> new/page.jpg: image/jpeg 300 x \\d+, .*, status 200\n$`),
      );
    });

    it('captures a file and standard input, to a default name and to standard output', async () => {
      await writeFile(join(folder, 'page.html'), '<h1>From a file</h1>');

      const [ofFile, ofInput] = await Promise.all([
        run(['capture', 'page.html', '--format', 'html']),
        run(['capture', '-', '-o', '-', '--format', 'webp', '--quiet'], '<h1>From standard input</h1>'),
      ]);

      expect([ofFile.code, ofInput.code, ofInput.errors]).toEqual([0, 0, '']);
      expect((await read('screenshot.html')).toString()).toContain('<h1>From a file</h1>');
      expect(await readPicture(ofInput.output)).toMatchObject({ format: 'webp', width: 1280 });
    });

    it('sends every field', async () => {
      const url = site.url(EXAMPLE_PATH);
      const said: string[] = [];
      const context = contextOf(said);
      const examples = exampleFields(url);

      const codes = await Promise.all(
        examples.map(({ name, value }, index) => {
          const fields = { ...(name !== 'html_content' && { url }), format: 'png', [name]: value };
          return captureCommand(
            [...toFlags(fields), '-o', join(folder, 'fields', `${index}`), '-q'],
            context,
          );
        }),
      );

      expect(said).toEqual([]);
      expect(codes).toEqual(examples.map(() => 0));
      expect(await readdir(join(folder, 'fields'))).toHaveLength(examples.length);
    });

    it.each([
      ['a wrong command', 2, ['print'], /^capture-service: There is no command print\./],
      [
        'a page that can not be captured',
        1,
        ['capture', 'http://10.0.0.1/'],
        /^http:\S+ DestinationNotAllowedError: .* \[[\w-]+\]\n$/,
      ],
      ['a wrong token', 3, ['capture', '--html-content', '<p>', '--token', 'wrong'], /AuthenticationError/],
    ])('tells a script of %s by %d', async (_case, code, args, message) => {
      const ended = await run([...args, ...(args[0] === 'capture' ? ['-q', '-o', 'failed.png'] : [])]);

      expect(ended.errors).toMatch(message);
      expect(ended.code).toBe(code);
    });

    it.each([
      [1, ['--html-content', '<p>', '--selector', '#none'], /ElementNotFoundError/],
      [2, ['--html-content', '<p>', '--window-width', '0'], /ValidationError: .*window_width: must be/],
      [
        1,
        ['--html-content', '<p>', '-o', '/dev/null/a.png'],
        /markup: the output can not be written: E[A-Z]+:/,
      ],
      [2, ['--html-content', '<p>', '-o', 'a.gif'], /No format has the extension of a\.gif/],
      [2, ['none.html'], /^There is no file none\.html that can be read\.$/],
      [2, ['example.com'], /For an address write https:\/\/example\.com$/],
      [2, [], /What to capture is missing/],
      [2, ['--jobs', '-', '--concurrency', '0'], /--concurrency must be a whole number/],
      [2, ['--jobs', 'a.json', 'b.html'], /leave out "b\.html"/],
      [2, ['--jobs', '-', '-o', '-'], /the output is a folder/],
      [2, ['--html-content', '<p>', '--service', 'localhost'], /is not the address of a service/],
    ])('ends with %d for %j', async (code, args, message) => {
      const said: string[] = [];

      const ended = await captureCommand([...args, '-q'], contextOf(said)).catch((error: unknown) => {
        if (!(error instanceof UsageError)) throw error;
        said.push(error.message);
        return EXIT.usage;
      });

      expect(said.join('\n')).toMatch(message);
      expect(ended).toBe(code);
    });

    it("ends with 3 when the answer is not the service's", async () => {
      const ended = await run(['capture', '--html-content', '<p>', '--service', falseService.url('page')]);

      expect([ended.code, ended.errors]).toEqual([3, expect.stringContaining('UnexpectedAnswerError')]);
    });

    it('works through a list, goes on after failures and sums up', async () => {
      const list = [
        { url: site.url('/colours'), output: 'colours.webp' },
        { url: site.url('/colours'), selector: '#none', output: 'none.png' },
        { html_content: '<p>', format: 'pdf' },
      ];
      await writeFile(join(folder, 'list.json'), JSON.stringify(list));

      const [ofFile, ofInput] = await Promise.all([
        run(['capture', '--jobs', 'list.json', '-o', 'list', '--window-width', '200', '--concurrency', '2']),
        run(
          ['capture', '--jobs', '-', '-o', 'lines'],
          `${JSON.stringify(list[0])}\n${JSON.stringify(list[2])}\n`,
        ),
      ]);

      expect((await readdir(join(folder, 'list'))).toSorted()).toEqual(['3.pdf', 'colours.webp']);
      expect(await readPicture(await read('list/colours.webp'))).toMatchObject({
        format: 'webp',
        width: 200,
      });
      expect(ofFile.errors).toMatch(/ElementNotFoundError[^]*\n2 captured, 1 failed in [\d.]+ s\n$/);
      expect(ofInput.errors).toMatch(/\n2 captured, 0 failed in [\d.]+ s\n$/);
      expect([ofFile.code, ofInput.code]).toEqual([1, 0]);
    });
  });

  it('signs what the service accepts, and nothing else', async () => {
    const sign = (...args: readonly string[]) =>
      runCommand(['sign', ...args], { folder, environment: { URL_SIGNING_SECRET: SECRET } });

    const [signed, wrong, sensitive, unset] = await Promise.all([
      sign(site.url('/colours'), '--format', 'pdf', '--expires-in', '60', '--service', service.url),
      sign(site.url('/colours'), '--window-width', '0'),
      sign(site.url('/colours'), '--custom-js', 'x()'),
      runCommand(['sign', 'https://example.com/'], { folder }),
    ]);

    const answer = await fetch(signed.output.toString().trim());
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/pdf']);
    expect([wrong.code, sensitive.code, unset.code]).toEqual([2, 2, 2]);
    expect(wrong.errors).toContain('window_width: must be');
    expect(sensitive.errors).toContain('SIGNED_URL_ALLOW');
    expect(unset.errors).toContain('URL_SIGNING_SECRET is not set');
  });

  it('shows its help and its version', async () => {
    const [help, ofCapture, version] = await Promise.all([
      run(['--help']),
      run(['capture', '--help']),
      run(['--version']),
    ]);

    expect([help.code, ofCapture.code, version.code]).toEqual([0, 0, 0]);
    expect(help.output.toString()).toContain('Exit codes: 0');
    expect(ofCapture.output.toString()).toContain('--full-page');
    expect(version.output.toString()).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  describe('without a service', () => {
    it('captures in its own process, and leaves no browser', async () => {
      const { code, errors } = await alone(['capture', site.url('/colours'), '-o', 'alone.png']);

      expect({ code, errors }).toEqual({
        code: 0,
        errors: expect.stringMatching(/^starting a browser\n.*status 200\n$/),
      });
      expect(await readPicture(await read('alone.png'))).toMatchObject({ format: 'png', width: 1280 });
      expect((await readdir(folder)).filter((name) => name.includes('profile'))).toEqual([]);
    });

    it('says how a page of this machine is allowed', async () => {
      const { code, errors } = await alone(['capture', site.url('/colours')], { EGRESS_ALLOW: '' });

      expect(code).toBe(1);
      expect(errors).toContain(`set EGRESS_ALLOW=${new URL(site.origin).host}\n`);
    });

    it.each([
      [2, { POOL_SIZE: 'many' }, /POOL_SIZE: "many" is not accepted/],
      [3, { BROWSER_EXECUTABLE: '/nowhere' }, /BROWSER_EXECUTABLE names a file that does not exist/],
    ])('ends with %d for %j', async (code, environment, message) => {
      const ended = await alone(['capture', site.url('/colours')], environment);

      expect(ended.errors).toMatch(message);
      expect(ended.code).toBe(code);
    });

    it.each([
      ['SIGINT', 130],
      ['SIGTERM', 143],
    ] as const)('ends at %s with %d and without a fuss, and its browser with it', async (signal, code) => {
      const before = site.requests.length;
      const child = startCommand(['capture', site.url('/never')], {
        folder,
        environment: { EGRESS_ALLOW: '127.0.0.0/8' },
      });
      const exited = once(child, 'exit');
      await vi.waitFor(() => expect(site.requests.length).toBeGreaterThan(before), {
        timeout: 15_000,
        interval: 10,
      });
      const browsers = childrenOf(child.pid ?? 0);

      child.kill(signal);
      const [errors] = await Promise.all([text(child.stderr), exited]);

      expect(child.exitCode).toBe(code);
      expect(errors).toBe(`starting a browser\ncapture-service: ended by ${signal}\n`);
      expect(browsers.length).toBeGreaterThan(0);
      expect(browsers.flatMap(({ pid }) => processGroup(pid))).toEqual([]);
      expect((await readdir(folder)).filter((name) => name.includes('profile'))).toEqual([]);
    });
  });

  it('serves, with settings as flags, until a signal ends it', async () => {
    const child = startCommand(['serve', '--port', '0', '--log-format', 'json'], { folder });
    const exited = once(child, 'exit');
    let url = '';
    for await (const line of createInterface({ input: child.stdout })) {
      const { url: told }: { readonly url?: string } = JSON.parse(line);
      if (told === undefined) continue;
      url = told;
      break;
    }
    child.stdout.resume();

    const { status } = await fetch(`${url}/health/live`);
    child.kill('SIGTERM');
    await exited;

    expect([status, child.exitCode]).toEqual([200, 0]);
  });

  it('refuses a setting that is wrong', async () => {
    await mkdir(join(folder, 'empty'), { recursive: true });

    const { code, errors } = await runCommand(['serve', '--port', 'http'], { folder: join(folder, 'empty') });

    expect([code, errors]).toEqual([2, expect.stringContaining('PORT: "http" is not accepted')]);
  });
});
