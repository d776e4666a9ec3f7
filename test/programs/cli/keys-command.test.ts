import { createHash } from 'node:crypto';
import { chmod, mkdtempDisposable, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { keysCommand } from '../../../src/programs/cli/keys-command.ts';

/** Runs the command in this process. */
async function run(...args: readonly string[]): Promise<string> {
  return (await runWithReports(...args)).output;
}

async function runWithReports(...args: readonly string[]) {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const reports: string[] = [];
  const report = (line: string): void => void reports.push(line);
  const context = { environment: {}, stdin, stdout, report, signal: AbortSignal.abort() };
  expect(await keysCommand(args, context)).toBe(0);
  return { output: String(stdout.read() ?? ''), reports };
}

const hashOf = (token: string): string => createHash('sha256').update(token.trim()).digest('hex');

/** Returns the keys of a file. */
async function keysOf(file: string): Promise<readonly Record<string, unknown>[]> {
  const { keys }: { keys: readonly Record<string, unknown>[] } = JSON.parse(await readFile(file, 'utf8'));
  return keys;
}

async function createFolder() {
  const folder = await mkdtempDisposable(join(tmpdir(), 'keys-command-test-'));
  return {
    path: folder.path,
    file: join(folder.path, 'keys.json'),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

describe('capture-service keys', () => {
  it('prints a new token, and an entry that has only its hash', async () => {
    const [token = '', ...entry] = (await run('new', 'shop', '--scope', 'capture', '--scope', 'jobs')).split('\n');

    expect(token).toMatch(/^cs_[\w-]{43}$/);
    expect(JSON.parse(entry.join('\n'))).toEqual({
      id: 'shop',
      token_sha256: [hashOf(token)],
      scopes: ['capture', 'jobs'],
    });
    expect((await run('new', 'shop')).split('\n')[0]).not.toBe(token);
  });

  it('adds keys to a file that only its owner can read, and prints their tokens', async () => {
    await using folder = await createFolder();
    const of = ['--file', folder.file];

    const first = await run('add', 'shop', ...of);
    const second = await run(
      'add',
      'blog',
      ...of,
      '--scope',
      'sign',
      '--quota',
      '10000/month',
      '--expires',
      '2127-01-01',
      '--rate-limit',
      '20 per second',
    );

    expect(first).toMatch(/^cs_[\w-]{43}\n$/);
    expect(await keysOf(folder.file)).toEqual([
      { id: 'shop', token_sha256: [hashOf(first)], scopes: ['capture'] },
      {
        id: 'blog',
        token_sha256: [hashOf(second)],
        scopes: ['sign'],
        rate_limit: '20 per second',
        quota: { captures: 10_000, per: 'month' },
        expires_at: '2127-01-01T00:00:00Z',
      },
    ]);
    expect((await stat(folder.file)).mode & 0o777).toBe(0o600);
    expect(await readdir(folder.path)).toEqual(['keys.json']);
    expect(await run('list', ...of)).toBe(
      'shop  active  capture\nblog  active  sign     10000/month  until 2127-01-01T00:00:00.000Z\n',
    );
  });

  it('adds a token beside the earlier ones, and ends those', async () => {
    await using folder = await createFolder();
    const of = ['--file', folder.file];
    const tokens = [await run('add', 'shop', ...of)];
    for (let left = 3; left > 0; left--) tokens.unshift(await run('rotate', 'shop', ...of));

    const full = await keysOf(folder.file);
    await expect(run('rotate', 'shop', ...of)).rejects.toThrow('shop has 4 tokens');
    await run('revoke', 'shop', ...of);

    expect(full).toMatchObject([{ token_sha256: tokens.map(hashOf) }]);
    expect(await keysOf(folder.file)).toMatchObject([{ token_sha256: [hashOf(tokens[0] ?? '')] }]);
    expect(await readdir(folder.path)).toEqual(['keys.json']);
  });

  it('disables and enables a key, and keeps its other fields, the mode of the file and a symbolic link', async () => {
    await using folder = await createFolder();
    const key = { id: 'shop', signing_secrets: ['s'.repeat(32)], deny_fields: ['custom_js'] };
    await writeFile(folder.file, JSON.stringify({ keys: [key] }));
    await chmod(folder.file, 0o640);
    const link = join(folder.path, 'linked.json');
    await symlink('keys.json', link);

    await run('disable', 'shop', '--file', link);
    const disabled = await keysOf(folder.file);
    const listed = await run('list', '--file', link);
    await run('enable', 'shop', '--file', link);

    expect(disabled).toEqual([{ ...key, disabled: true }]);
    expect(listed).toBe('shop  disabled  capture\n');
    expect(await keysOf(folder.file)).toEqual([key]);
    expect((await stat(folder.file)).mode & 0o777).toBe(0o640);
  });

  it('loses no change of another command, and changes no invalid file', async () => {
    await using folder = await createFolder();
    await writeFile(`${folder.file}.new`, '');
    await expect(run('add', 'shop', '--file', folder.file)).rejects.toThrow(/another command is changing/);
    expect(await readdir(folder.path)).toEqual(['keys.json.new']);

    const other = join(folder.path, 'other.json');
    await writeFile(other, '{"keys": [{"id": "Shop"}]}');
    await expect(run('add', 'blog', '--file', other)).rejects.toThrow(/other\.json: keys\[0\]\.id: must/);
    expect(await readFile(other, 'utf8')).toBe('{"keys": [{"id": "Shop"}]}');
    expect(await readdir(folder.path)).toEqual(['keys.json.new', 'other.json']);
  });

  it('checks a file', async () => {
    await using folder = await createFolder();
    const keys = [{ id: 'shop', signing_secrets: ['s'.repeat(32)], expires_at: '2020-01-01T00:00:00Z' }];
    await writeFile(folder.file, JSON.stringify({ keys }), { mode: 0o644 });

    const { output, reports } = await runWithReports('check', folder.file);

    expect(output).toBe(`${folder.file}: 1 key, no problem\n`);
    expect(reports).toEqual([expect.stringContaining('other users can read it'), `${folder.file}: expired: shop`]);

    await writeFile(folder.file, '{"keys": [{"id": "Shop"}]}');

    await expect(run('check', folder.file)).rejects.toThrow(`${folder.file}: keys[0].id: must be 1 to 63 characters`);
  });

  it.each([
    ['no action', []],
    ['an unknown action', ['remove', 'shop']],
    ['no id', ['new']],
    ['an id in capitals', ['new', 'Shop']],
    ['the reserved id', ['new', 'default']],
    ['an unknown scope', ['new', 'shop', '--scope', 'all']],
    ['a missing file', ['check', '/nowhere/keys.json']],
    ['a folder that does not exist', ['add', 'shop', '--file', '/nowhere/keys.json']],
    ['no file', ['add', 'shop']],
    ['an unknown key', ['disable', 'shop', '--file', '/nowhere/keys.json']],
    ['a scope for a check', ['check', 'keys.json', '--scope', 'jobs']],
    ['a quota for a rotation', ['rotate', 'shop', '--quota', '5/day']],
    ['a quota without a period', ['new', 'shop', '--quota', '100']],
    ['a day that does not exist', ['new', 'shop', '--expires', '2027-02-30']],
    ['a name of Object', ['constructor', 'shop']],
    ['too many words', ['new', 'shop', 'blog']],
  ])('refuses %s', async (_case, args) => {
    await expect(run(...args)).rejects.toMatchObject({ name: 'UsageError' });
  });

  it('names an unknown key', async () => {
    await using folder = await createFolder();
    await run('add', 'shop', '--file', folder.file);

    await expect(run('rotate', 'blog', '--file', folder.file)).rejects.toThrow('has no key blog');
    await expect(run('add', 'shop', '--file', folder.file)).rejects.toThrow('has a key shop');
  });
});
