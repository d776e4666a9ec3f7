import { execFile } from 'node:child_process';
import { globSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, extname, join } from 'node:path';
import { parseEnv, promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RESPONSE_HEADERS } from '../../../src/core/http/answers/response-headers.ts';
import vectorFile from '../../core/access/signature-vectors.json' with { type: 'json' };
import { createFixtureSite, type FixtureSite } from '../../support/fixture-site.ts';
import { readPdf } from '../../support/pdf.ts';
import { readPicture } from '../../support/pixels.ts';
import { type RunningService, startService } from '../../support/service.ts';

const ROOT = join(import.meta.dirname, '../../..');
const README_SERVICE = 'http://127.0.0.1:8080';
const README_TARGET = 'https://example.com/';
const SECRETS = { AUTH_TOKEN: 'a-token-for-tests', URL_SIGNING_SECRET: 's3cret-signing-key' };
/** What the shell has after the README's step that sets a token. */
const AFTER_TOKEN_STEP = { ...SECRETS, CAPTURE_TOKEN: SECRETS.AUTH_TOKEN };
/** Headers that Node's HTTP server sets on every answer. */
const TRANSPORT_HEADERS = ['connection', 'content-length', 'date', 'keep-alive'];

/** Matches a code block after `<!-- run -->`, or after a mark that names a missing requirement. */
const MARKED = /(?:<!-- (run|needs (?:docker|kubectl|another browser)) -->\n)?```(sh|ts)\n([^]*?)```/g;

interface Block {
  readonly title: string;
  readonly language: string;
  readonly script: string;
  /** Files that the commands write; none if they print. */
  readonly files: readonly string[];
}

const run = promisify(execFile);
const readme = await readFile(join(ROOT, 'README.md'), 'utf8');
const blocks = runnableBlocks(readme);
const guides = await Promise.all(
  globSync('docs/*.md', { cwd: ROOT }).map(async (path) => ({
    path,
    text: await readFile(join(ROOT, path), 'utf8'),
  })),
);
const ofGuides = guides.flatMap(({ path, text }) =>
  runnableBlocks(text).map((block) => ({ ...block, title: `${path}: ${block.title}` })),
);

describe('README.md', () => {
  let site: FixtureSite;
  let open: RunningService;
  let secured: RunningService;
  let folder: string;
  beforeAll(async () => {
    [site, open, secured, folder] = await Promise.all([
      createFixtureSite(),
      startService(),
      startService(
        {
          ...SECRETS,
          COMPAT: 'gotenberg,screenshotone,browserless,firecrawl',
          MCP: 'true',
          RATE_LIMIT_ENABLED: 'true',
          RATE_LIMIT_CAPTURE: '1000/second',
          WEBHOOK_SECRET: `whsec_${'A'.repeat(44)}`,
          TEMPLATES_DIR: join(ROOT, 'examples/templates'),
        },
        { stores: true },
      ),
      createFolder(),
    ]);
  });
  afterAll(async () => {
    await Promise.all([open[Symbol.asyncDispose](), secured[Symbol.asyncDispose](), site.close()]);
    await rm(dirname(folder), { recursive: true, force: true });
  });

  it('shows every format and both ways to sign, each file once, guides included', () => {
    const files = [...blocks, ...ofGuides].flatMap((block) => block.files);

    expect(blocks.length).toBeGreaterThan(5);
    expect(new Set(files.map((file) => extname(file)))).toEqual(
      new Set(['.png', '.jpeg', '.webp', '.avif', '.pdf', '.html', '.json', '.md', '.mhtml']),
    );
    expect(files).toEqual(expect.arrayContaining(['signed.pdf', 'signed-in-shell.pdf']));
    expect(new Set(files).size).toBe(files.length);
  });

  it('has a marker at every command of the guides', () => {
    const unmarked = guides.flatMap(({ path, text }) =>
      [...text.matchAll(MARKED)]
        .filter(([, mark]) => mark === undefined)
        .map(([, , , script = '']) => `${path}: ${firstLine(script)}`),
    );

    expect(ofGuides.length).toBeGreaterThan(15);
    expect(unmarked).toEqual([]);
  });

  it('has commands that work in their order, in one shell, with what those before leave', async () => {
    const own = await createFolder();
    const tokens = blocks.findIndex(({ script }) => script.includes('> .env'));
    const before = blocks.slice(0, tokens + 1);
    await runInShell(own, before, open.url);
    const written = parseEnv(await readFile(join(own, '.env'), 'utf8'));
    await using withToken = await startService({ ...written, DATA_DIR: join(own, 'data') });
    await runInShell(own, blocks.slice(tokens + 1), withToken.url);

    const files = blocks.flatMap((block) => block.files);
    expect(tokens).toBeGreaterThan(0);
    expect(Object.keys(written).toSorted()).toEqual(['AUTH_TOKEN', 'DATA_DIR', 'URL_SIGNING_SECRET']);
    expect(await Promise.all(files.map((file) => kindOf(join(own, file))))).toEqual(
      files.map((file) => extname(file).slice(1)),
    );
    await rm(dirname(own), { recursive: true });
    expect(readme.split(/\s+/).length).toBeLessThanOrEqual(1_000);
  });

  async function runInShell(cwd: string, all: readonly Block[], url: string): Promise<void> {
    const script = all.map((block) => adapt(block.script, url)).join('\n');
    await run('sh', ['-euc', script], { cwd, env: environmentOf(url) });
  }

  it.each(ofGuides)('has guides with commands that work after the token step: $title', async (block) => {
    const { stdout, kinds } = await runBlock(block, secured.url, AFTER_TOKEN_STEP);

    expect(block.files.join('') + stdout).not.toBe('');
    expect(kinds).toEqual(block.files.map((file) => extname(file).slice(1)));
  });

  it('has guides with commands that work without a token, too', async () => {
    const [block] = ofGuides.filter(({ title }) => title.startsWith('docs/capturing.md'));
    if (block === undefined) throw new Error('the guide has no command');
    const { kinds } = await runBlock(block, open.url, { CAPTURE_TOKEN: '' });

    expect(kinds).toEqual(block.files.map((file) => extname(file).slice(1)));
  });

  it('has lines for cron that write a picture, and find no change in an equal one', async () => {
    const { text = '' } = guides.find(({ path }) => path === 'docs/recipes.md') ?? {};
    const [, lines = ''] = /<!-- cron -->\n```text\n([^]*?)```/.exec(text) ?? [];
    const home = await mkdtemp(join(tmpdir(), 'cron-test-'));
    await writeFile(join(home, 'capture.env'), `export CAPTURE_TOKEN=${SECRETS.AUTH_TOKEN} EGRESS_ALLOW=127.0.0.0/8\n`);
    const commands = lines.trim().split('\n').map(asCron);
    const [take = '', compare = ''] = commands.map((command) =>
      adapt(command, secured.url)
        .replaceAll('/etc/capture.env', join(home, 'capture.env'))
        .replaceAll('/opt/capture-service', ROOT),
    );
    const cron = { cwd: home, env: { HOME: home, PATH: '/usr/bin:/bin' } };
    const taken = await run('sh', ['-c', take], cron);
    const [picture = ''] = globSync('home-*.png', { cwd: home });
    await rename(join(home, picture), join(home, 'approved.png'));
    const compared = await run('sh', ['-c', compare], cron);

    expect([commands.length, taken.stdout + taken.stderr]).toEqual([2, '']);
    expect(picture).toMatch(/^home-\d{4}-\d\d-\d\d\.png$/);
    expect(await kindOf(join(home, 'approved.png'))).toBe('png');
    expect(compared.stdout + compared.stderr).toBe('');
    await rm(home, { recursive: true });
  });

  /** Runs the commands, and returns what they print and the kinds of the files that they write. */
  async function runBlock({ language, script, files }: Block, url: string, secrets: object) {
    const adapted = adapt(script, url);
    const name = `block-${performance.now()}.mts`;
    if (language === 'ts') await writeFile(join(folder, name), adapted);

    const [program, ...args] = language === 'ts' ? [process.execPath, name] : ['sh', '-euc', adapted];
    const { stdout } = await run(program, args, {
      cwd: folder,
      env: { ...environmentOf(url), ...secrets },
    });

    const kinds = await Promise.all(files.map((file) => kindOf(join(folder, file))));
    return { stdout, kinds };
  }

  function adapt(script: string, url: string): string {
    return (
      script
        .replaceAll(README_SERVICE, url)
        .replaceAll(README_TARGET, site.url('/document'))
        // npx would ask the registry, because this folder is not an installed package.
        .replaceAll('npx capture-service', `node ${join(ROOT, 'dist/programs/cli/main.js')}`)
    );
  }

  it('has TypeScript that compiles under strict rules', async () => {
    const typed = join(folder, 'typed');
    await mkdir(typed);
    const scripts = ofGuides.filter(({ language }) => language === 'ts');
    await Promise.all(scripts.map(({ script }, index) => writeFile(join(typed, `${index}.mts`), script)));
    await writeFile(
      join(typed, 'tsconfig.json'),
      JSON.stringify({
        extends: join(ROOT, 'tsconfig.json'),
        compilerOptions: {
          typeRoots: [join(ROOT, 'node_modules/@types')],
          paths: { 'capture-service-client': [join(ROOT, 'src/programs/client/index.ts')] },
          noPropertyAccessFromIndexSignature: false,
        },
        include: ['*.mts'],
      }),
    );

    const { stdout } = await run(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', typed]).catch(
      (error: unknown) => ({ stdout: JSON.stringify(error) }),
    );

    expect(scripts.length).toBeGreaterThan(3);
    expect(stdout).toBe('');
  });

  it('signs in TypeScript as the test vectors do', async () => {
    const { script: example = '' } = ofGuides.find(({ script }) => script.includes('function signedLink')) ?? {};
    const vectors = JSON.stringify(vectorFile.vectors);
    await writeFile(join(folder, 'sign.ts'), example);
    await writeFile(
      join(folder, 'try.mjs'),
      `import { signedLink } from './sign.ts';
      for (const { params, secret } of ${vectors}) console.log(signedLink('${README_SERVICE}', params, secret));`,
    );

    const { stdout } = await run(process.execPath, ['try.mjs'], { cwd: folder });

    const [, ...links] = stdout.trim().split('\n'); // the first link is that of the example
    expect(links).toEqual(vectorFile.vectors.map(({ query }) => `${README_SERVICE}/capture?${query}`));
  });

  it('lists every header of an answer', async () => {
    const capture = `${secured.url}/capture`;
    const answers = await Promise.all([
      fetch(`${capture}?url=${encodeURIComponent(site.url('/document'))}`, {
        headers: { authorization: `Bearer ${SECRETS.AUTH_TOKEN}` },
      }),
      fetch(capture),
      fetch(capture, { method: 'DELETE' }),
      fetch(`${secured.url}/health`),
    ]);

    const listed = new Set(RESPONSE_HEADERS.map(({ name }) => name.toLowerCase()));
    const sent = new Set(answers.flatMap(({ headers }) => [...headers.keys()]));
    expect(answers.map(({ status }) => status)).toEqual([200, 401, 405, 200]);
    expect([...sent].filter((name) => !listed.has(name) && !TRANSPORT_HEADERS.includes(name))).toEqual([]);
  });
});

/** Returns the command of a line for cron, which ends a command at a bare percent sign. */
function asCron(line: string): string {
  const [, command = ''] = /^(?:[\d*,/-]+ ){5}((?:\\%|[^%])+)/.exec(line) ?? [];
  return command.replaceAll('\\%', '%');
}

function environmentOf(url: string): Record<string, string | undefined> {
  return {
    PATH: process.env['PATH'],
    HOME: process.env['HOME'],
    EGRESS_ALLOW: '127.0.0.0/8', // for the command line in its own process
    PORT: new URL(url).port, // for `sign`, which prints a URL
  };
}

function runnableBlocks(text: string): Block[] {
  const marked = [...text.matchAll(MARKED)].filter(([, mark]) => mark === 'run');
  return marked.map(([, , language = '', script = '']) => {
    const written = [
      ...script.matchAll(
        /(?:(?: -o |--output |> )|writeFile\(')([\w./-]+\.(?:png|jpeg|webp|avif|pdf|html|json|md|mhtml))\b/g,
      ),
    ];
    const files = written.map(([, file = '']) => file);
    const title = files.length > 0 ? files.join(', ') : firstLine(script);
    return { title, language, script, files };
  });
}

function firstLine(script: string): string {
  return script.trim().split('\n')[0] ?? '';
}

/** Creates a folder that looks like a clone with a `.env`, so that nothing is written into the real one. */
async function createFolder(): Promise<string> {
  const outer = await mkdtemp(join(tmpdir(), 'readme-test-'));
  const folder = join(outer, 'clone');
  const client = join(folder, 'node_modules', 'capture-service-client');
  await mkdir(client, { recursive: true });
  const linked = ['package.json', 'scripts', 'docs', 'dist', 'examples'].map(
    (name) => [name, join(folder, name)] as const,
  );
  const more = [
    ['node_modules', join(outer, 'node_modules')],
    ['dist', join(client, 'dist')], // the same files as in the package
    ['clients/javascript/package.json', join(client, 'package.json')],
  ] as const;
  await Promise.all([...linked, ...more].map(([name, path]) => symlink(join(ROOT, name), path)));
  const lines = Object.entries(SECRETS).map(([name, value]) => `${name}=${value}\n`);
  await writeFile(join(folder, '.env'), lines.join(''));
  return folder;
}

/**
 * Detects the kind from the content: `png`, `jpeg`, `webp`, `avif`, `pdf`, `html` or `json`. Rejects for anything else.
 */
async function kindOf(path: string): Promise<string> {
  const bytes = await readFile(path);
  if (bytes.subarray(0, 5).toString() === '%PDF-') {
    const { pages } = await readPdf(bytes);
    return pages.length > 0 ? 'pdf' : 'a pdf without pages';
  }
  if (/^[[{]/.test(bytes.subarray(0, 1).toString())) {
    JSON.parse(bytes.toString());
    return 'json';
  }
  if (/^<(html|!doctype html)/i.test(bytes.subarray(0, 20).toString())) return 'html';
  if (bytes.subarray(0, 5).toString() === 'From:') return 'mhtml';
  if (/^(# |\w[\w ,.]*\n)/.test(bytes.toString())) return 'md';
  const { format } = await readPicture(bytes);
  return format;
}
