import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { findEmbeddedBrowser } from '../../../src/core/browser/find/embedded-browser.ts';
import { findBrowser } from '../../../src/core/browser/find/executable.ts';
import { type BareClone, createBareClone } from '../../support/bare-clone.ts';
import { capture } from '../../support/http.ts';
import { zipOf } from '../../support/zip.ts';

const ROOT = join(import.meta.dirname, '../../..');
const MIRROR = 'PUPPETEER_CHROME_HEADLESS_SHELL_DOWNLOAD_BASE_URL';
const ARCHIVE = /\/\d+\.\d+\.\d+\.\d+\/linux64\/chrome-headless-shell-linux64\.zip$/;
const DOWNLOAD_LIMIT_MS = 90_000;
const run = promisify(execFile);

const embedded = await findEmbeddedBrowser();
/** True if this machine has a browser, so that the download tests are skipped. */
const hasOwnBrowser = await findBrowser({
  path: process.env['PATH'] ?? '',
  home: '/nowhere',
  findEmbedded: async () => undefined,
}).then(
  () => true,
  () => false,
);

describe.skipIf(embedded === undefined || hasOwnBrowser)('a machine without a browser (needs Linux x64)', () => {
  it('downloads the browser version of Puppeteer and captures with it', { timeout: 120_000 }, async () => {
    await using clone = await createBareClone();
    const program = await readFile(embedded?.path ?? '');
    const zip = zipOf([{ name: 'chrome-headless-shell-linux64/chrome-headless-shell', content: program }]);
    const mirror = await startMirror(200, zip);

    const service = await startByNpm(clone, { ...embedded?.environment, [MIRROR]: mirror.url });
    const answer = await capture(service.url, { html_content: 'x' });
    const code = await service.stop();
    const again = await setUp(clone, { ...embedded?.environment, [MIRROR]: mirror.url });

    expect(answer.status).toBe(200);
    expect(code).toBe(0);
    expect(mirror.requests).toEqual([expect.stringMatching(ARCHIVE)]);
    expect(service.output()).toContain('downloading the version that Puppeteer supports');
    expect(service.output()).toMatch(/browser: headless-shell from Puppeteer's cache, .+home\/\.cache/);
    expect(again).toMatchObject({ code: 0, output: expect.stringContaining("from Puppeteer's cache") });
  });

  it('reports in one sentence that the mirror is unreachable, and what to do', async () => {
    await using clone = await createBareClone();
    const mirror = await startMirror(200, Buffer.alloc(0));
    mirror.close();

    const { code, output } = await setUp(clone, { [MIRROR]: mirror.url });

    expect(code).toBe(1);
    expect(output.trim().split('\n').at(-1)).toMatch(
      /^setup: No browser was found, and none could be downloaded from \S+ \(ECONNREFUSED\); allow outgoing connections/,
    );
    expect(output).not.toMatch(/\n\s+at /);
  });

  it('downloads through the proxy of the user, and reports the answer of the proxy', async () => {
    await using clone = await createBareClone();
    const proxy = await startMirror(407, Buffer.alloc(0));

    const { code, output } = await setUp(clone, {
      [MIRROR]: 'http://mirror.test/of',
      HTTP_PROXY: proxy.url,
    });

    expect(code).toBe(1);
    expect(output).toContain('(server returned code 407)');
    expect(proxy.requests).toEqual([expect.stringMatching(/^http:\/\/mirror\.test\/of\//)]);
  });

  it('downloads no browser if the user forbids it', async () => {
    await using clone = await createBareClone();
    const mirror = await startMirror(200, Buffer.alloc(0));

    const { code, output } = await setUp(clone, { [MIRROR]: mirror.url, PUPPETEER_SKIP_DOWNLOAD: '1' });

    expect(code).toBe(1);
    expect(output).toContain('PUPPETEER_SKIP_DOWNLOAD forbids the download; unset it');
    expect(mirror.requests).toEqual([]);
  });
});

// A plain `npm ci` would otherwise download 250 MB, or wait for an unreachable server.
it('downloads nothing while npm runs the install script of Puppeteer', async () => {
  const mirror = await startMirror(404, Buffer.alloc(0));
  const environment = {
    ...process.env,
    npm_config_loglevel: 'notice', // prints nothing under `npm --silent`
    [MIRROR]: mirror.url,
    PUPPETEER_CHROME_DOWNLOAD_BASE_URL: mirror.url,
  };

  const { stdout } = await run(process.execPath, ['install.mjs'], {
    cwd: join(ROOT, 'node_modules', 'puppeteer'),
    env: environment,
  });

  expect(stdout).toContain('Skipping');
  expect(mirror.requests).toEqual([]);
});

it.skipIf(embedded === undefined)('downloads nothing if a browser is installed', async () => {
  const mirror = await startMirror(404, Buffer.alloc(0));

  const { stdout } = await run(process.execPath, ['scripts/setup.mjs'], {
    cwd: ROOT,
    env: { ...process.env, [MIRROR]: mirror.url },
  });

  expect(stdout).toMatch(/setup: browser: /);
  expect(mirror.requests).toEqual([]);
});

/** Server that sends the same answer to every request, also when used as a proxy. */
async function startMirror(status: number, body: Buffer) {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(request.url ?? '');
    response.writeHead(status, { 'Content-Length': body.length }).end(body);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port }: Pick<AddressInfo, 'port'> = Object(server.address());
  const close = (): void => {
    server.close().closeAllConnections();
  };
  onTestFinished(close);
  return { url: `http://127.0.0.1:${port}`, requests, close };
}

async function setUp({ folder, environment }: BareClone, more: Readonly<Record<string, string>>) {
  const child = spawn(process.execPath, ['scripts/setup.mjs'], {
    cwd: folder,
    env: { ...environment, ...more },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const chunks: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  await once(child, 'close');
  return { code: child.exitCode, output: Buffer.concat(chunks).toString() };
}

async function startByNpm({ folder, environment }: BareClone, more: Readonly<Record<string, string>>) {
  const child = spawn('npm', ['start'], {
    cwd: folder,
    env: { ...environment, PORT: '0', LOG_FORMAT: 'json', ...more },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const exited = once(child, 'exit');
  const lines: string[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
  // The download unpacks 220 MB first, which takes minutes on a busy machine.
  const url = await vi.waitFor(
    async () => {
      const [, address = ''] = /"url":"([^"]+)","msg":"listening"/.exec(lines.join('\n')) ?? [];
      expect((await fetch(`${address}/health/ready`)).status).toBe(200);
      return address;
    },
    { timeout: DOWNLOAD_LIMIT_MS, interval: 50 },
  );
  return {
    url,
    output: () => lines.join('\n'),
    stop: async () => {
      child.kill('SIGTERM');
      await exited;
      return child.exitCode;
    },
  };
}
