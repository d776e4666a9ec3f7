import { execFile } from 'node:child_process';
import { hash } from 'node:crypto';
import { copyFile, mkdir, mkdtemp, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFixtureSite, type FixtureSite } from '../../support/fixture-site.ts';
import { type RunningService, startService } from '../../support/service.ts';

// Clients of other services, as npm and PyPI have them, with nothing changed but the address. Each is installed once.

const run = promisify(execFile);
const SCRIPTS = join(import.meta.dirname, '../../support/published-clients');
const CACHE = join(import.meta.dirname, '../../../node_modules/.cache/capture-service/clients');
const INSTALL_MS = 300_000;
const [USER, TOKEN, SIGNING_SECRET] = ['shop', 'token-of-shop', 's'.repeat(40)];

const MARKDOWN = '# Prices\n\nTea costs 3.50.\n';
const SCRAPED = { scraped: MARKDOWN };
const FILES = { html: '%PDF', url: '%PDF' };
const PRINTED = { ...FILES, merged: '%PDF', split: 'PK\u0003\u0004' };
const OLD_CHROMIUMLY = { ...PRINTED, title: true, picture: '\u0089PNG' };
const LINKED = { status: 200, type: 'image/jpeg' };

interface Expected {
  readonly site: FixtureSite;
}
const batchOfTwo = ['completed', [MARKDOWN, MARKDOWN]];
const mapped = ({ site }: Expected) => [site.url('/tea')];
const oldFirecrawl = (world: Expected) => ({ ...SCRAPED, batch: batchOfTwo, mapped: mapped(world), crawl: true });
const newFirecrawl = (world: Expected) => ({
  ...SCRAPED,
  batch: ['completed', [MARKDOWN]],
  errors: [true],
  mapped: mapped(world),
  crawl: true,
  credits: true,
});

/** The script of a client, its packages, and what the script prints. */
const CLIENTS: readonly (readonly [script: string, packages: string, expected: (world: Expected) => object])[] = [
  ['firecrawl-1.mjs', '@mendable/firecrawl-js@1.21.1', oldFirecrawl],
  ['firecrawl-1.mjs', '@mendable/firecrawl-js@1.29.3', oldFirecrawl],
  ['firecrawl.mjs', '@mendable/firecrawl-js@3.3.0', newFirecrawl],
  ['firecrawl.mjs', '@mendable/firecrawl-js@4.42.0', newFirecrawl],
  ['use_firecrawl_1.py', 'firecrawl-py==1.6.8', (world) => ({ ...SCRAPED, batch: batchOfTwo, mapped: mapped(world) })],
  [
    'use_firecrawl.py',
    'firecrawl-py==4.55.0',
    (world) => ({ ...SCRAPED, batch: ['completed', [MARKDOWN]], mapped: mapped(world), crawl: true }),
  ],
  ['langchain.mjs', '@langchain/community@1.1.29 @langchain/core@1 @mendable/firecrawl-js@1', () => SCRAPED],
  ['use_langchain.py', 'langchain-community==0.4.2 firecrawl-py==4.55.0', () => SCRAPED],
  ['chromiumly.mjs', 'chromiumly@3.11.0', () => OLD_CHROMIUMLY],
  ['chromiumly.mjs', 'chromiumly@6.0.0', () => ({ ...OLD_CHROMIUMLY, flat: '%PDF', locked: '%PDF' })],
  ['use_gotenberg.py', 'gotenberg-client==1.0.0 httpx[http2]', () => ({ ...PRINTED, flat: '%PDF', health: 'up' })],
  ['use_browserless.py', 'django-browserless==0.1.1', () => ({ url: '%PDF' })],
  ['screenshotone.mjs', 'screenshotone-api-sdk@1.1.22', () => LINKED],
  ['use_screenshotone.py', 'screenshotone==0.0.17', () => LINKED],
];

/** Returns the folder of these packages, installed on first use. Undefined without the registry. */
async function install(script: string, packages: string): Promise<string | undefined> {
  const folder = join(CACHE, hash('sha256', packages, 'hex').slice(0, 12));
  const isThere = await stat(folder).then(
    () => true,
    () => false,
  );
  if (isThere) return folder;
  const parts = `${folder}-${process.pid}`;
  await mkdir(parts, { recursive: true });
  const names = packages.split(' ');
  try {
    if (script.endsWith('.py')) {
      await run('python3', ['-m', 'pip', 'install', '--quiet', '--target', parts, ...names], { timeout: INSTALL_MS });
    } else {
      await writeFile(join(parts, 'package.json'), '{"type":"module"}');
      const flags = ['--ignore-scripts', '--legacy-peer-deps', '--no-audit', '--no-fund', '--silent'];
      await run('npm', ['install', ...flags, ...names], { cwd: parts, timeout: INSTALL_MS });
    }
  } catch {
    await rm(parts, { recursive: true, force: true });
    return undefined;
  }
  await rename(parts, folder);
  return folder;
}

describe('published clients of other services', { timeout: 400_000 }, () => {
  let [site, service, folder]: [FixtureSite?, RunningService?, string?] = [];
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'published-clients-'));
    const token_sha256 = [hash('sha256', TOKEN, 'hex')];
    const keys = [{ id: USER, token_sha256, signing_secrets: [SIGNING_SECRET], scopes: ['capture', 'jobs'] }];
    await writeFile(join(folder, 'keys.json'), JSON.stringify({ keys }));
    site = await createFixtureSite({
      moreRoutes: {
        '/prices': ({ response }) =>
          void response.end(
            '<title>Prices</title><main><h1>Prices</h1><p>Tea costs 3.50.</p></main><a href="/tea"></a>',
          ),
      },
    });
    service = await startService(
      { COMPAT: 'gotenberg,firecrawl,browserless,screenshotone', KEYS_FILE: join(folder, 'keys.json') },
      { stores: true },
    );
  });
  afterAll(async () => {
    await service?.[Symbol.asyncDispose]();
    await site?.close();
    await rm(folder ?? '', { recursive: true, force: true });
  });

  it.for(CLIENTS)('%s of %s', async ([script, packages, expected], { skip }) => {
    if (site === undefined || service === undefined) throw new Error('the service has not started');
    const installed = await install(script, packages);
    if (installed === undefined) {
      skip('the registry could not be reached');
      return;
    }
    const isPython = script.endsWith('.py');
    const copy = isPython ? join(SCRIPTS, script) : join(installed, script);
    if (!isPython) await copyFile(join(SCRIPTS, script), copy); // its packages are found beside it
    const { stdout } = await run(isPython ? 'python3' : process.execPath, [copy], {
      cwd: installed,
      timeout: 120_000,
      env: {
        PATH: process.env['PATH'],
        HOME: folder,
        PYTHONPATH: installed,
        SERVICE: service.url,
        USER,
        TOKEN,
        SIGNING_SECRET,
        PAGE: site.url('/prices'),
        AWAY: 'http://127.0.0.1:9/',
      },
    });
    expect(JSON.parse(stdout.trim().split('\n').at(-1) ?? '')).toEqual(expected({ site }));
  });
});
