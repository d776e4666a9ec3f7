import { createHash } from 'node:crypto';
import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { keysCommand } from '../../src/cli/keys-command.ts';

/** Runs the command in this process. */
async function run(...args: readonly string[]): Promise<string> {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const context = { environment: {}, stdin, stdout, report: () => undefined, signal: AbortSignal.abort() };
  expect(await keysCommand(args, context)).toBe(0);
  return String(stdout.read());
}

describe('capture-service keys', () => {
  it('prints a new token, and an entry that has only its hash', async () => {
    const [token = '', ...entry] = (await run('new', 'shop', '--scope', 'capture', '--scope', 'jobs')).split(
      '\n',
    );

    expect(token).toMatch(/^cs_[\w-]{43}$/);
    expect(JSON.parse(entry.join('\n'))).toEqual({
      id: 'shop',
      token_sha256: [createHash('sha256').update(token).digest('hex')],
      scopes: ['capture', 'jobs'],
    });
    expect((await run('new', 'shop')).split('\n')[0]).not.toBe(token);
  });

  it('checks a file', async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'keys-command-test-'));
    const file = join(folder.path, 'keys.json');
    await writeFile(file, JSON.stringify({ keys: [{ id: 'shop', signing_secrets: ['s'.repeat(32)] }] }));
    expect(await run('check', file)).toBe(`${file}: 1 key, no problem\n`);

    await writeFile(file, '{"keys": [{"id": "Shop"}]}');

    await expect(run('check', file)).rejects.toThrow(`${file}: keys[0].id: must be 1 to 63 characters`);
  });

  it.each([
    ['no action', []],
    ['an unknown action', ['remove', 'shop']],
    ['no id', ['new']],
    ['an id in capitals', ['new', 'Shop']],
    ['the reserved id', ['new', 'default']],
    ['an unknown scope', ['new', 'shop', '--scope', 'all']],
    ['a missing file', ['check', '/nowhere/keys.json']],
    ['a scope for a check', ['check', 'keys.json', '--scope', 'jobs']],
    ['too many words', ['new', 'shop', 'blog']],
  ])('refuses %s', async (_case, args) => {
    await expect(run(...args)).rejects.toMatchObject({ name: 'UsageError' });
  });
});
