import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { publint } from 'publint';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFixtureSite, type FixtureSite } from '../support/fixture-site.ts';
import { readPicture } from '../support/pixels.ts';

const ROOT = join(import.meta.dirname, '../..');
const INSTALL_LIMIT_MS = 240_000; // for an empty npm cache; a full one takes 5 s
const QUIET = ['--no-audit', '--no-fund', '--no-progress', '--loglevel=error'];
const CONSUMER = `
import { createCaptureClient, signUrl, ValidationError } from 'capture-service/client';
import { writeFile } from 'node:fs/promises';

const client = createCaptureClient({ service: process.argv[2] ?? '' });
const { bytes, width } = await client.capture({ url: process.argv[3], window_width: 320, format: 'webp' });
await writeFile('by-client.webp', bytes);
const size: number | undefined = width;
// @ts-expect-error: no such field
const misspelt: unknown = await client.capture({ html_content: '<p>', widow_width: 320 }).catch((error: unknown) => error);
const link: string = await signUrl({ url: 'https://example.com/' }, { service: 'https://a.example', secret: 's' });
console.log(JSON.stringify({ size, refused: misspelt instanceof ValidationError, signed: link.includes('&signature=') }));
`;

describe('the package, installed in an empty folder', () => {
  let site: FixtureSite;
  let folder: string;
  let packed: readonly string[];
  const run = promisify(execFile);
  const environment = {
    ...process.env,
    // Runs npm and the command line with the Node of this test, without the commands of this repository.
    PATH: [dirname(process.execPath), process.env['PATH'] ?? ''].join(delimiter),
    EGRESS_ALLOW: '127.0.0.0/8',
    PUPPETEER_SKIP_DOWNLOAD: 'true', // the package includes a browser
  };
  const inFolder = () => ({ cwd: folder, env: environment });
  const command = (): string => join(folder, 'node_modules', '.bin', 'capture-service');

  beforeAll(async () => {
    [site, folder] = await Promise.all([createFixtureSite(), mkdtemp(join(tmpdir(), 'package-test-'))]);
    const pack = ['pack', '--json', '--pack-destination', folder, ...QUIET];
    const { stdout } = await run('npm', pack, { cwd: ROOT, env: environment });
    const [{ filename, files }]: [{ filename: string; files: { path: string }[] }] = JSON.parse(stdout);
    packed = files.map(({ path }) => path);
    await writeFile(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
    await run('npm', ['install', '--prefer-offline', ...QUIET, join(folder, filename)], inFolder());
  }, INSTALL_LIMIT_MS);
  afterAll(async () => {
    await site.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('contains the required files and nothing else', () => {
    const types = packed.filter((path) => path.endsWith('.d.ts'));

    expect(packed.filter((path) => !path.startsWith('dist/'))).toEqual([
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'THIRD-PARTY.md',
      'package.json',
    ]);
    expect(packed.filter((path) => /\/\.|\.map$|\.ts$/.test(path))).toEqual(types);
    expect(types.length).toBeGreaterThan(0);
    expect(types.filter((path) => !path.startsWith('dist/client/'))).toEqual([]);
  });

  it('passes publint', async () => {
    const { messages } = await publint({
      pkgDir: join(folder, 'node_modules', 'capture-service'),
      pack: false,
      strict: true,
    });

    expect(messages).toEqual([]);
  });

  it('captures with the command line, in its own process', async () => {
    const { stderr } = await run(command(), ['capture', site.url('/colours'), '-o', 'page.png'], inFolder());

    expect(await readPicture(await readFile(join(folder, 'page.png')))).toMatchObject({
      format: 'png',
      width: 1280,
    });
    expect(stderr).toMatch(/status 200\n$/);
  });

  it('serves, and captures with the client', async () => {
    const service = spawn(command(), ['serve', '--port', '0', '--log-format', 'json'], inFolder());
    const exited = once(service, 'exit');
    const url = await listening(service.stdout);
    await writeFile(join(folder, 'consumer.mts'), CONSUMER);

    const { stdout } = await run(process.execPath, ['consumer.mts', url, site.url('/colours')], inFolder());
    service.kill('SIGTERM');
    await exited;

    expect(JSON.parse(stdout)).toEqual({ size: 320, refused: true, signed: true });
    expect(await readPicture(await readFile(join(folder, 'by-client.webp')))).toMatchObject({
      format: 'webp',
      width: 320,
    });
    expect(service.exitCode).toBe(0);
  });

  it('has types that a strict compiler accepts', async () => {
    const compiler = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
    await mkdir(join(folder, 'typed'), { recursive: true });
    await writeFile(join(folder, 'typed', 'consumer.mts'), CONSUMER);
    const types = ['--types', 'node', '--typeRoots', join(ROOT, 'node_modules', '@types')];
    const strict = ['--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess', '--noEmit'];
    const modern = ['--module', 'nodenext', '--target', 'es2024', '--ignoreConfig'];

    const { stdout } = await run(
      process.execPath,
      [compiler, ...strict, ...modern, ...types, 'typed/consumer.mts'],
      inFolder(),
    ).catch((error: unknown) => ({ stdout: JSON.stringify(error) }));

    expect(stdout).toBe('');
  });
});

/** Returns the address that the service logs. */
async function listening(output: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface({ input: output })) {
    const { url }: { readonly url?: string } = JSON.parse(line);
    if (url === undefined) continue;
    output.resume();
    return url;
  }
  throw new Error('It does not listen');
}
