import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCommand } from '../../support/command-line.ts';
import { readPicture } from '../../support/pixels.ts';
import { type RunningService, startService } from '../../support/service.ts';

const TOKEN = 'cafe'.repeat(16);
const WINDOW = ['--window-width', '400', '--window-height', '200'];

describe('capture-service compare', () => {
  let service: RunningService;
  let folder: string;
  beforeAll(async () => {
    [service, folder] = await Promise.all([
      startService({ AUTH_TOKEN: TOKEN }),
      mkdtemp(join(tmpdir(), 'compare-command-test-')),
    ]);
    for (const [name, price] of [
      ['old.html', '3.50'],
      ['new.html', '3.90'],
    ])
      await writeFile(join(folder, name ?? ''), `<h1>Tea</h1><p>Price: <b id="price">${price}</b></p>`);
  });
  afterAll(async () => {
    await service[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });

  const compare = (...args: readonly string[]) =>
    runCommand(['compare', ...args], {
      folder,
      environment: { CAPTURE_SERVICE: service.url, CAPTURE_TOKEN: TOKEN },
    });

  it('exits with 0 for two captures that are the same', async () => {
    const { code, output } = await compare('old.html', 'old.html', ...WINDOW);

    expect([code, output.toString()]).toEqual([0, 'no differences\n']);
  });

  it('exits with 1 and says what has changed, and writes the picture with marks', async () => {
    const { code, output } = await compare('old.html', 'new.html', ...WINDOW, '-o', 'difference.png');

    expect(code).toBe(1);
    expect(output.toString()).toMatch(/^0\.\d+ % differs\nchanged \d+,\d+,\d+,\d+ #price: 3\.50 -> 3\.90\n$/);
    expect(await readPicture(await readFile(join(folder, 'difference.png')))).toMatchObject({
      width: 400,
      height: 200,
    });
  });

  it('prints differences only with --quiet', async () => {
    const [same, other] = await Promise.all(
      ['old.html', 'new.html'].map((after) => compare('old.html', after, ...WINDOW, '--quiet')),
    );
    const accepted = await compare('old.html', 'new.html', ...WINDOW, '--quiet', '--max-ratio', '1');

    expect([same?.code, same?.output.toString()]).toEqual([0, '']);
    expect([accepted.code, accepted.output.toString()]).toEqual([0, '']);
    expect([other?.code, other?.output.toString()]).toEqual([1, expect.stringContaining('#price: 3.50 -> 3.90')]);
  });

  it('compares a picture with a page', async () => {
    const capture = ['capture', 'old.html', ...WINDOW, '-o', 'approved.png'];
    await runCommand(capture, { folder, environment: { CAPTURE_SERVICE: service.url, CAPTURE_TOKEN: TOKEN } });

    const codes = await Promise.all(['old.html', 'new.html'].map((page) => compare('approved.png', page, ...WINDOW)));

    expect(codes.map(({ code }) => code)).toEqual([0, 1]);
  });

  it.each([['0,60,400,60'], ['#price']])('ignores %s', async (ignored) => {
    expect((await compare('old.html', 'new.html', ...WINDOW, '--ignore', ignored)).code).toBe(0);
  });

  it('exits with 0 for a difference of at most --max-ratio', async () => {
    const exits = ['0.2', '0.0000001'].map(
      async (share) => await compare('old.html', 'new.html', '--max-ratio', share),
    );

    expect((await Promise.all(exits)).map(({ code }) => code)).toEqual([0, 1]);
  });

  it('compares lines with --mode text', async () => {
    const { code, output } = await compare('old.html', 'new.html', '--mode', 'text');

    expect(code).toBe(1);
    expect(output.toString()).toMatch(/changed line \d+: .*3\.50.* -> .*3\.90/);
  });

  it('runs as the guide says: an approved picture, a page, and a selector that is left out', async () => {
    const guide = await readFile(new URL('../../../docs/comparing.md', import.meta.url), 'utf8');
    const [, line = ''] = /- run: npx capture-service (compare .*)/.exec(guide) ?? [];
    const page = createServer((_request, response) =>
      response.setHeader('content-type', 'text/html').end(`<h1>Tea</h1><p class="clock">${Math.random()}`),
    );
    await new Promise<void>((resolve) => page.listen(0, '127.0.0.1', resolve));
    const address = page.address();
    const url = `http://localhost:${typeof address === 'object' ? address?.port : ''}/`;
    await mkdir(join(folder, 'approved'));
    const run = (args: readonly string[]) => runCommand(args, { folder, environment: {} });
    const made = await run(['capture', url, '--window-width', '1280', '-o', 'approved/home.png']);

    const { code, output, errors } = await run(line.replace('http://localhost:3000/', url).split(' '));
    page.close();

    expect([made.code, code, output.toString(), errors]).toMatchObject([0, 0, 'no differences\n', expect.anything()]);
  });

  it('prints the answer of the service as JSON', async () => {
    const { output } = await compare('old.html', 'new.html', ...WINDOW, '--json', '--threshold', '0');

    expect(JSON.parse(output.toString())).toMatchObject({ changed: true, regions: [{ selector: '#price' }] });
  });

  it.each<[readonly string[], number, RegExp]>([
    [['old.html'], 2, /Two sides are needed/],
    [['old.html', 'new.html', 'third.html'], 2, /"third.html" is an unexpected argument/],
    [['old.html', 'none.png'], 2, /There is no file none.png/],
    [['old.html', 'new.html', '-o', 'difference.jpg'], 2, /must end in .png or .webp/],
    [['old.html', 'new.html', '--threshold', '9'], 2, /threshold: must be a number from 0 to 1/],
    [['old.html', 'http://127.0.0.1:9/'], 2, /browsers block its port|refuses the connection/],
    [['old.html', 'new.html', '-o', '/dev/null/difference.png'], 2, /can't be written/],
    [['old.html', 'new.html', '--service', 'http://127.0.0.1:9'], 3, /can't be reached/],
  ])('explains what is wrong with %j', async (args, expected, problem) => {
    const { code, errors } = await compare(...args);

    expect(code).toBe(expected);
    expect(errors).toMatch(problem);
  });
});
