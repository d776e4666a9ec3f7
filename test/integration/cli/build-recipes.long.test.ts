import { execFile, spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { readPicture } from '../../support/pixels.ts';

// The workflows of docs/comparing.md, as they stand: each command of theirs, in a project with a site on port 3000.

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '../../..');
const WORKFLOW = /<!-- workflow: (\w+) -->\n```yaml\n([^]*?)```/g;
const SITE = `import { createServer } from 'node:http';
createServer((request, response) => response.setHeader('Content-Type', 'text/html').end(
  '<h1>Tea</h1><p>' + process.env.PRICE + '</p><p class="clock">' + Math.random() + '</p>')).listen(3000);`;

interface Steps {
  readonly jobs?: { readonly compare: { readonly steps: readonly { readonly run?: string }[] } };
  readonly pictures?: { readonly script: readonly string[] };
}

describe('the workflows of docs/comparing.md', { timeout: 400_000 }, () => {
  let folder: string;
  let env: NodeJS.ProcessEnv;
  let commands: ReadonlyMap<string, readonly string[]>;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'build-recipes-'));
    const packed = await run('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder], {
      cwd: ROOT,
    });
    const file = packed.stdout.trim().split('\n').at(-1) ?? '';
    env = { ...process.env, CAPTURE_SERVICE_PACKAGE: join(folder, file), PRICE: '3.50' };
    await mkdir(join(folder, 'approved'));
    await writeFile(join(folder, 'site.mjs'), SITE);
    const project = { name: 'site', version: '1.0.0', scripts: { start: 'node site.mjs' } };
    await writeFile(join(folder, 'package.json'), JSON.stringify(project));
    await run('npm', ['install', '--package-lock-only', '--silent'], { cwd: folder, env });
    const guide = await readFile(join(ROOT, 'docs/comparing.md'), 'utf8');
    commands = new Map(
      [...guide.matchAll(WORKFLOW)].map(([, name = '', yaml = '']) => {
        const { jobs, pictures }: Steps = parse(yaml);
        return [name, jobs?.compare.steps.flatMap(({ run: line }) => line ?? []) ?? pictures?.script ?? []];
      }),
    );
  }, 400_000);
  afterAll(() => rm(folder, { recursive: true, force: true }));

  /** Runs the commands in one shell each, as a runner does. Returns the exit code of the first that fails, or 0. */
  async function build(lines: readonly string[], price: string): Promise<{ code: number | null; output: string }> {
    let output = '';
    const groups: number[] = [];
    try {
      for (const line of lines) {
        const options = { cwd: folder, env: { ...env, PRICE: price }, detached: true } as const;
        const shell = spawn('bash', ['-e', '-c', line], { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
        if (shell.pid !== undefined) groups.push(shell.pid);
        for (const stream of [shell.stdout, shell.stderr]) stream.on('data', (text) => (output += String(text)));
        const code = await new Promise<number | null>((resolve) => shell.once('exit', resolve));
        if (code !== 0) return { code, output };
      }
      return { code: 0, output };
    } finally {
      for (const group of groups) {
        try {
          process.kill(-group);
        } catch {
          // it has ended
        }
      }
    }
  }

  it.each(['github', 'gitlab'])('fail for a page that differs, and for nothing else: %s', async (name) => {
    const lines = commands.get(name) ?? [];
    expect(lines).toHaveLength(4);
    const approve = lines.map((line) =>
      line.startsWith('npx capture-service compare')
        ? 'npx capture-service capture http://localhost:3000/ --window-width 1280 -o approved/home.png'
        : line,
    );

    expect(await build(approve, '3.50')).toMatchObject({ code: 0 });
    expect(await build(lines, '3.50')).toMatchObject({ code: 0, output: expect.stringContaining('no differences') });
    expect(await build(lines, '3,50')).toMatchObject({ code: 1, output: expect.stringMatching(/% differs\nchanged /) });
    expect(await readPicture(await readFile(join(folder, 'difference.png')))).toMatchObject({ width: 1280 });
  });
});
