import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { captureCommand } from '../../../src/programs/cli/capture/capture-command.ts';
import type { CommandContext } from '../../../src/programs/cli/context.ts';
import { EXIT, UsageError } from '../../../src/programs/cli/exit.ts';
import { runCommand, startCommand } from '../../support/command-line.ts';
import { exampleFields, requestWith, toFlags } from '../../support/example-fields.ts';
import { type FalseService, startFalseService } from '../../support/false-service.ts';
import { createFixtureSite, type FixtureSite } from '../../support/fixture-site.ts';
import { readPicture } from '../../support/pixels.ts';
import { receivedOptions, startReceivingApp } from '../../support/receiving-app.ts';
import { type RunningService, startService } from '../../support/service.ts';

const TOKEN = 'cafe'.repeat(16);
const SECRET = 'a-secret-for-links';

describe('the command line', () => {
  let site: FixtureSite;
  let service: RunningService;
  let falseService: FalseService;
  let folder: string;
  beforeAll(async () => {
    [site, service, falseService, folder] = await Promise.all([
      createFixtureSite(),
      startService({ AUTH_TOKEN: TOKEN, URL_SIGNING_SECRET: SECRET }, { stores: true }),
      startFalseService(),
      mkdtemp(join(tmpdir(), 'command-line-test-')),
    ]);
    await mkdir(join(folder, 'templates/page'), { recursive: true });
    await writeFile(join(folder, 'templates/page/index.html'), '<p>Hello');
    await writeFile(join(folder, 'templates/page/template.json'), '{"fields": {"format": "pdf"}}');
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
  /** Runs the command with a standard output whose reader has ended, or a full disk. */
  const runInto = async (output: 'no reader' | '/dev/full', args: readonly string[], input = '') => {
    const child = startCommand(args, {
      folder,
      environment: { CAPTURE_SERVICE: service.url, CAPTURE_TOKEN: TOKEN },
      shell: output === '/dev/full' ? '> /dev/full' : '',
    });
    if (output === 'no reader') child.stdout.destroy();
    child.stdin.end(input);
    const [errors] = await Promise.all([text(child.stderr), once(child, 'exit')]);
    return { code: child.exitCode, errors };
  };
  /** Context for running the command in the process of the test. */
  const contextOf = (lines: string[]): CommandContext => ({
    environment: { CAPTURE_SERVICE: service.url, CAPTURE_TOKEN: TOKEN },
    stdin: process.stdin,
    stdout: process.stdout,
    report: (line) => void lines.push(line),
    signal: new AbortController().signal,
  });
  const read = (name: string): Promise<Buffer> => readFile(join(folder, name));

  describe('with a service', () => {
    it('sends AUTH_TOKEN of .env to the service of the same folder only, and says what else to set', async () => {
      const { port } = new URL(service.url);
      const own = await mkdtemp(join(folder, 'own-'));
      await writeFile(join(own, '.env'), `AUTH_TOKEN=${TOKEN}\nPORT=${port}\n`);
      const args = ['capture', site.url('/plain'), '-o', 'a.png', '--service'];
      const at = (address: string, environment = {}) => runCommand([...args, address], { folder: own, environment });

      expect((await at(`http://localhost:${port}`)).code).toBe(0);
      const refused = await at(`http://localhost:${port}`, { PORT: '1' });
      expect([refused.code, refused.errors]).toEqual([4, expect.stringContaining('set CAPTURE_TOKEN to a token')]);
    });

    it('captures a page in the format of the file extension and prints a summary', async () => {
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

    it('prints where the result is stored', async () => {
      const { code, errors } = await run(
        ['capture', '-', '-o', '-', '--store', '--store-path', 'by/command.png'],
        '<p>',
      );

      expect([code, errors]).toEqual([0, expect.stringMatching(/, stored at by\/command\.png\n$/)]);
    });

    it('captures a file or standard input, to a default name or to standard output', async () => {
      await writeFile(join(folder, 'page.html'), '<h1>From a file</h1>');

      const [ofFile, ofInput] = await Promise.all([
        run(['capture', 'page.html', '--format', 'html']),
        run(['capture', '-', '-o', '-', '--format', 'webp', '--quiet'], '<h1>From standard input</h1>'),
      ]);

      expect([ofFile.code, ofInput.code, ofInput.errors]).toEqual([0, 0, '']);
      expect((await read('screenshot.html')).toString()).toContain('<h1>From a file</h1>');
      expect(await readPicture(ofInput.output)).toMatchObject({ format: 'webp', width: 1280 });
    });

    it('sends the files that a page links to, and what its style sheets load', async () => {
      const place = join(folder, 'linked');
      await mkdir(join(place, 'css'), { recursive: true });
      await mkdir(join(place, 'img'));
      const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="7" height="5"></svg>';
      await Promise.all([
        writeFile(join(place, 'img/a b.svg'), svg),
        writeFile(join(place, 'img/2x.svg'), svg),
        writeFile(join(place, 'img/back.svg'), svg),
        writeFile(join(folder, 'outside.css'), 'h1 { color: red }'),
        writeFile(join(place, 'css/more.css'), 'h1 { background: url("../img/back.svg") }'),
        writeFile(join(place, 'css/site.css'), '@import "more.css"; h1 { color: rgb(1, 2, 3) }'),
        symlink('../outside.css', join(place, 'leads-out.css')),
        writeFile(join(place, 'notes.txt'), 'private'),
        writeFile(join(place, '.hidden.css'), 'private'),
        writeFile(
          join(place, 'page.html'),
          `<link rel="stylesheet" href="css/site.css?v=1"><link rel="stylesheet" href="../outside.css"><link rel="stylesheet" href="leads-out.css">
           <a href="img">folder</a><img src="img/a%20b.svg" srcset="img/a%20b.svg 1x, img/2x.svg 2x"><img src="missing.png"><img src="notes.txt"><link href=".hidden.css"><img src="https://a.test/b.png"><h1>Hello</h1>`,
        ),
        writeFile(join(place, 'page.md'), '# Hello\n\n![picture](img/2x.svg)'),
      ]);
      await using app = await startReceivingApp();
      const context = { ...contextOf([]), environment: { CAPTURE_SERVICE: app.url } };

      for (const name of ['page.html', 'page.md']) {
        expect(await captureCommand([join(place, name), '-o', join(place, 'out.png'), '-q'], context)).toBe(0);
      }
      const { code, output } = await runCommand(['sign', 'linked/page.md', '--format', 'webp'], {
        folder,
        environment: { URL_SIGNING_SECRET: SECRET },
      });

      const sent = app.received.map(({ ownSite }) => [...(ownSite?.files.keys() ?? [])].toSorted());
      expect(sent).toEqual([
        ['css/more.css', 'css/site.css', 'img/2x.svg', 'img/a b.svg', 'img/back.svg'],
        ['img/2x.svg'],
      ]);
      expect(app.received.map((options) => options.markdown_content === undefined)).toEqual([true, false]);
      expect(code).toBe(0);
      expect(new URL(output.toString()).searchParams.get('files')).toBe(
        JSON.stringify({ 'img/2x.svg': Buffer.from(svg).toString('base64') }),
      );
    });

    it('refuses a page with too many files', async () => {
      const place = join(folder, 'many');
      await mkdir(place);
      const names = Array.from({ length: 101 }, (_, index) => `${index}.svg`);
      await Promise.all(names.map((name) => writeFile(join(place, name), '<svg/>')));
      await writeFile(join(place, 'page.html'), names.map((name) => `<img src="${name}">`).join(''));

      const { code, errors } = await run(['capture', 'many/page.html']);

      expect([code, errors]).toEqual([2, expect.stringContaining('loads more than 100 files')]);
    });

    // openapi.test.ts tests that each example returns a capture.
    it('sends every field', async () => {
      await using app = await startReceivingApp();
      const lines: string[] = [];
      const context = { ...contextOf(lines), environment: { CAPTURE_SERVICE: app.url } };
      const url = 'https://example.com/';
      const requests = exampleFields(url).map(({ name, value }) => ({
        format: 'png',
        ...requestWith(name, value, url),
      }));

      const codes: number[] = [];
      for (const [index, fields] of requests.entries()) {
        const args = [...toFlags(fields), '-o', join(folder, 'fields', `${index}`), '-q'];
        codes.push(await captureCommand(args, context));
      }

      expect(lines).toEqual([]);
      expect(codes).toEqual(requests.map(() => 0));
      expect(app.received).toEqual(requests.map(receivedOptions));
      expect(app.storedPaths()).toEqual([expect.any(String), 'reports/2026-11.pdf']);
      expect(await readdir(join(folder, 'fields'))).toHaveLength(requests.length);
    });

    it.each([
      ['a misspelt command', 2, ['captur'], /^capture-service: Unknown command captur\. Did you mean capture\?/],
      [
        'a page that cannot be captured',
        1,
        ['capture', 'http://10.0.0.1/'],
        /^http:\S+ DestinationNotAllowedError: .* \[[\w-]+\]\n$/,
      ],
      ['a wrong token', 4, ['capture', '--html-content', '<p>', '--token', 'wrong'], /AuthenticationError/],
    ])('reports %s with exit code %d', async (_case, code, args, message) => {
      const ended = await run([...args, ...(args[0] === 'capture' ? ['-q', '-o', 'failed.png'] : [])]);

      expect(ended.errors).toMatch(message);
      expect(ended.code).toBe(code);
    });

    it.each([
      [1, ['--html-content', '<p>', '--selector', '#none'], /ElementNotFoundError/],
      [1, ['--html-content', '<p>', '--window-width', '0'], /ValidationError: .*window_width: must be/],
      [1, ['--html-content', '<p>', '-o', '/dev/null/a.png'], /markup: \/dev\/null\/a.png can't be written: E[A-Z]+:/],
      [2, ['--html-content', '<p>', '-o', 'a.gif'], /No format has the extension of a\.gif/],
      [2, ['none.html'], /^There is no file none\.html that can be read\.$/],
      [2, [], /The page to capture is missing/],
      [1, ['--template', 'card', '--data', '{"title":"Hello"}'], /ValidationError: .*template: needs the setting/],
      [2, ['--list', '-', '--concurrency', '0'], /--concurrency must be a whole number/],
      [2, ['--list', 'a.json', 'b.html'], /leave out "b\.html"/],
      [2, ['--list', '-', '-o', '-'], /the output must be a folder/],
      [2, ['--html-content', '<p>', '--concurrency', '2'], /--concurrency needs --list/],
      [2, ['--html-content', '<p>', '--json', '-o', '-'], /both use standard output/],
      [2, ['--html-content', '<p>', '--background', '-o', 'a.png'], /leave out --output/],
      [2, ['--html-content', '<p>', '--custom-css', '@none.css'], /--custom-css: There is no file none\.css/],
      [2, ['--jobs', 'a.json'], /Unknown flag --jobs/],
      [2, ['--html-content', '<p>', '--service', 'localhost'], /is not the address of a service/],
    ])('exits with %d for %j', async (code, args, message) => {
      const lines: string[] = [];

      const ended = await captureCommand([...args, '-q'], contextOf(lines)).catch((error: unknown) => {
        if (!(error instanceof UsageError)) throw error;
        lines.push(error.message);
        return EXIT.usage;
      });

      expect(lines.join('\n')).toMatch(message);
      expect(ended).toBe(code);
    });

    it('exits with 3 if the answer does not come from the service', async () => {
      const ended = await run(['capture', '--html-content', '<p>', '--service', falseService.url('page')]);

      expect([ended.code, ended.errors]).toEqual([3, expect.stringContaining('UnexpectedAnswerError')]);
    });

    it('prints facts and failures as JSON', async () => {
      const list = [{ url: site.url('/colours') }, { url: site.url('/colours'), selector: '#none' }];

      const { code, output, errors } = await run(
        ['capture', '--list', '-', '-o', 'as-json', '--json', '--concurrency', '1'],
        list.map((each) => JSON.stringify(each)).join('\n'),
      );

      const [captured, failed]: unknown[] = output
        .toString()
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
      expect([code, errors]).toEqual([1, '']);
      expect(captured).toMatchObject({
        target: site.url('/colours'),
        output: join(folder, 'as-json/1.png'),
        content_type: 'image/png',
        bytes: (await read('as-json/1.png')).length,
        width: 1280,
        target_status: 200,
        warnings: [],
      });
      expect(failed).toMatchObject({
        target: site.url('/colours'),
        error: { error_type: 'ElementNotFoundError', status: 400, request_id: expect.any(String) },
      });
    });

    it('submits captures in the background; the command jobs lists them and fetches results', async () => {
      const list = [
        { html_content: '<h1>First</h1>', format: 'markdown' },
        { html_content: '<p>', selector: '#none' },
      ];
      const submitted = await run(
        ['capture', '--list', '-', '--background'],
        list.map((each) => JSON.stringify(each)).join('\n'),
      );
      const single = await run(['capture', '-', '--background', '--format', 'markdown'], '<h1>Single</h1>');
      const ids = Buffer.concat([submitted.output, single.output]).toString().trim().split('\n');

      const results = await Promise.all(ids.map((id) => run(['jobs', 'result', id, '-o', '-'])));
      const toFile = await run(['jobs', 'result', ids[2] ?? '']);
      const listed = await run(['jobs', 'list', '--state', 'failed', '--json']);
      const got = await run(['jobs', 'get', ids[0] ?? '']);
      const cancelled = await run(['jobs', 'cancel', ids[0] ?? '']);
      const refused = await run(['capture', '--list', '-', '--background'], '{"url": "https://a.test/", "width": 1}');
      const unknown = await run(['jobs', 'get', 'none']);

      expect([submitted.code, single.code]).toEqual([0, 0]);
      expect(submitted.errors).toMatch(/^2 submitted/);
      expect(results.map(({ code, output }) => [code, output.toString()])).toEqual([
        [0, '# First\n'],
        [1, ''],
        [0, '# Single\n'],
      ]);
      expect(toFile.errors).toMatch(/-> screenshot\.md: text\/markdown, 9 bytes/);
      expect((await read('screenshot.md')).toString()).toBe('# Single\n');
      expect(JSON.parse(listed.output.toString())).toMatchObject({
        id: ids[1],
        error: { errorType: 'ElementNotFoundError' },
      });
      expect(got.output.toString()).toMatch(new RegExp(`^${ids[0]}  done {7}20`));
      expect(cancelled.code).toBe(0);
      expect([refused.code, refused.errors]).toEqual([1, expect.stringContaining('width: is not a known')]);
      expect([unknown.code, unknown.errors]).toEqual([1, expect.stringContaining('NotFoundError')]);
    });

    it('captures a list of pages, continues after failures and prints a summary', async () => {
      const list = [
        { url: site.url('/colours'), output: 'colours.webp' },
        { url: site.url('/colours'), selector: '#none', output: 'none.png' },
        { html_content: '<p>', format: 'pdf' },
      ];
      await writeFile(join(folder, 'list.json'), JSON.stringify(list));

      const [ofFile, ofInput] = await Promise.all([
        run(['capture', '--list', 'list.json', '-o', 'list', '--window-width', '200', '--concurrency', '2']),
        run(['capture', '--list', '-', '-o', 'lines'], `${JSON.stringify(list[0])}\n${JSON.stringify(list[2])}\n`),
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

  describe('with an output that cannot be written', () => {
    it.each([['jobs', 'list'], ['--help'], ['keys', 'new', 'shop'], ['capture', '--html-content', '<p>', '-o', '-']])(
      'ends without a stack trace: %s %s',
      async (...args) => {
        const [unread, full] = await Promise.all([runInto('no reader', args), runInto('/dev/full', args)]);

        expect(unread).toEqual({ code: EXIT.noReader, errors: expect.not.stringContaining('    at ') });
        expect(full).toEqual({
          code: EXIT.failed,
          errors: expect.stringMatching(/standard output can't be written: .*ENOSPC/),
        });
        expect(full.errors).not.toContain('    at ');
      },
    );

    it('makes all captures of a list', async () => {
      const lines = Array.from({ length: 6 }, () => '{"html_content": "<p>", "window_width": 40, "window_height": 40}');

      const { code, errors } = await runInto(
        'no reader',
        ['capture', '--list', '-', '-o', 'unread', '--json'],
        lines.join('\n'),
      );

      expect([code, errors]).toEqual([EXIT.noReader, '']);
      expect(await readdir(join(folder, 'unread'))).toHaveLength(6);
    });

    it.each(['add', 'rotate'])('does not change a key whose new token nobody has seen: keys %s', async (action) => {
      const file = join(folder, `${action}.json`);
      if (action === 'rotate') await run(['keys', 'add', 'shop', '--file', file]);
      const before = await readFile(file, 'utf8').catch(() => undefined);

      const { code } = await runInto('/dev/full', ['keys', action, 'shop', '--file', file]);

      expect(code).toBe(EXIT.failed);
      expect(await readFile(file, 'utf8').catch(() => undefined)).toBe(before);
    });

    it.each([['/proc/nope/page.png'], ['/dev/null/page.png']])('names the file at once: %s', async (file) => {
      const submitted = await run(['capture', '--html-content', '<p>', '--background']);
      const id = submitted.output.toString().trim();

      const [captured, fetched] = await Promise.all([
        run(['capture', '--html-content', '<p>', '-o', file]),
        run(['jobs', 'result', id, '-o', file]),
      ]);

      for (const { code, errors } of [captured, fetched]) {
        expect([code, errors]).toEqual([EXIT.failed, expect.stringContaining(`${file} can't be written: `)]);
      }
    });
  });

  it('names a file of a template by its type, and signs for CAPTURE_SERVICE', async () => {
    await using other = await startService({ TEMPLATES_DIR: join(folder, 'templates') });
    const environment = { CAPTURE_SERVICE: other.url, URL_SIGNING_SECRET: SECRET };
    const own = await mkdtemp(join(folder, 'named-'));
    const made = await runCommand(['capture', '--template', 'page'], { folder: own, environment });
    const signed = await runCommand(['sign', 'https://example.com/'], { folder: own, environment });

    expect(made.code).toBe(0);
    expect(await readdir(own)).toEqual(['screenshot.pdf']);
    expect(signed.output.toString()).toMatch(`${other.url}/capture?`);
  });

  it('signs valid links and refuses everything else', async () => {
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

  it('prints its help and its version', async () => {
    const [help, ofCapture, version] = await Promise.all([
      run(['--help']),
      run(['capture', '--help']),
      run(['--version']),
    ]);

    expect([help.code, ofCapture.code, version.code]).toEqual([0, 0, 0]);
    expect(help.output.toString()).toContain('Exit codes:\n  0         done');
    expect(ofCapture.output.toString()).toContain('--full-page');
    expect(version.output.toString()).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});
