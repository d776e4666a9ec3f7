import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { publint } from 'publint';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFixtureSite, type FixtureSite } from '../../support/fixture-site.ts';
import { readPicture } from '../../support/pixels.ts';

const ROOT = join(import.meta.dirname, '../../..');
const INSTALL_LIMIT_MS = 240_000; // for an empty npm cache; a full one takes 5 s
const QUIET = ['--no-audit', '--no-fund', '--no-progress', '--loglevel=error'];
/** Plain JavaScript, for the oldest Node that the client supports. */
const PLAIN_CONSUMER = `
import { createCaptureClient, signUrl, ValidationError } from 'capture-service-client';
import { writeFile } from 'node:fs/promises';

const client = createCaptureClient({ service: process.argv[2] });
const { bytes, width } = await client.capture({ url: process.argv[3], window_width: 320, format: 'webp' });
await writeFile('by-client.webp', bytes);
const refused = await client.capture({ html_content: '<p>', widow_width: 320 }).catch((error) => error);
const link = await signUrl({ url: 'https://example.com/' }, { service: 'https://a.example', secret: 's', key: 'shop' });
console.log(JSON.stringify({ width, refused: refused instanceof ValidationError, signed: link.includes('&key=shop&') }));
`;
const TYPED_CONSUMER = `
import { type CaptureJob, createCaptureClient } from 'capture-service-client';

const client = createCaptureClient({ service: 'http://127.0.0.1:8080' });
const { data } = await client.capture({ url: 'https://a.example/', response_type: 'json', include: ['markdown'] });
const [text, base64]: [string, string] = [data.markdown.text, data.file.base64];
const stored = await client.capture({ url: 'https://a.example/', response_type: 'json', store: true });
const link: string = stored.data.file.url;
const { warnings, text: read } = await client.capture({ template: 'card', data: { title: 'Hello' } });
if (warnings.includes('network_not_idle')) console.log(read().length, text, base64, link);
for await (const job of client.jobs({ state: 'failed' })) show(job);
function show({ error }: CaptureJob): void {
  if (error?.errorType === 'TimeoutError') console.log(error.details);
}
// @ts-expect-error: nothing to capture
await client.capture({ full_page: true });
// @ts-expect-error: no such field
await client.capture({ html_content: '<p>', widow_width: 320 });
// @ts-expect-error: a part that was not asked for
console.log(data.links);
`;

describe('the packages, installed in an empty folder', () => {
  let site: FixtureSite;
  let folder: string;
  let [packed, packedClient]: (readonly string[])[] = [];
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
    const pack = ['pack', '--json', '--pack-destination', folder, ...QUIET, '.', './clients/javascript'];
    const { stdout } = await run('npm', pack, { cwd: ROOT, env: environment });
    const packages: { filename: string; files: { path: string }[] }[] = JSON.parse(stdout.slice(stdout.indexOf('[\n')));
    [packed, packedClient] = packages.map(({ files }) => files.map(({ path }) => path));
    const tarballs = packages.map(({ filename }) => join(folder, filename));
    await writeFile(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
    await run('npm', ['install', '--prefer-offline', ...QUIET, ...tarballs], inFolder());
  }, INSTALL_LIMIT_MS);
  afterAll(async () => {
    await site.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('contain the required files and nothing else', () => {
    expect(packed?.filter((path) => !path.startsWith('dist/'))).toEqual([
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'THIRD-PARTY.md',
      'package.json',
    ]);
    expect(packed?.filter((path) => /\/\.|\.map$|\.ts$/.test(path))).toEqual([]);
    expect(
      packedClient?.filter((path) => !/^dist\/(?:programs\/client|core\/access)\/[\w-]+(\.d\.ts|\.js)$/.test(path)),
    ).toEqual(['LICENSE', 'README.md', 'package.json']);
  });

  it('have the same version, and the client has no dependencies', async () => {
    const [ofService, ofClient] = await Promise.all(
      ['package.json', 'clients/javascript/package.json'].map(async (path): Promise<Record<string, unknown>> =>
        JSON.parse(await readFile(join(ROOT, path), 'utf8')),
      ),
    );

    expect(ofClient?.['version']).toBe(ofService?.['version']);
    expect(Object.keys(ofClient ?? {}).filter((name) => /dependencies/i.test(name))).toEqual([]);
  });

  it.each(['capture-service', 'capture-service-client'])('%s passes publint', async (name) => {
    const { messages } = await publint({
      pkgDir: join(folder, 'node_modules', name),
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
    await writeFile(join(folder, 'consumer.mjs'), PLAIN_CONSUMER);

    const { stdout } = await run(process.execPath, ['consumer.mjs', url, site.url('/colours')], inFolder());
    service.kill('SIGTERM');
    await exited;

    expect(JSON.parse(stdout)).toEqual({ width: 320, refused: true, signed: true });
    expect(await readPicture(await readFile(join(folder, 'by-client.webp')))).toMatchObject({
      format: 'webp',
      width: 320,
    });
    expect(service.exitCode).toBe(0);
  });

  it('has types that a strict compiler accepts', async () => {
    const compiler = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
    await mkdir(join(folder, 'typed'), { recursive: true });
    await writeFile(join(folder, 'typed', 'consumer.mts'), TYPED_CONSUMER);
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
