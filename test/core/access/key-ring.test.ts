import { createHash } from 'node:crypto';
import { mkdtempDisposable, rename, symlink, unlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createKeyRing, type KeyRing } from '../../../src/core/access/key-ring.ts';
import { eventually } from '../../support/eventually.ts';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const keyOf = (id: string, more: object = {}): object => ({
  id,
  token_sha256: [sha256(`token of ${id}`)],
  ...more,
});

describe('createKeyRing', () => {
  let folder: Awaited<ReturnType<typeof mkdtempDisposable>>;
  let file: string;
  let lines: string[];
  let ring: KeyRing | undefined;
  let nowMs = 0;
  beforeEach(async () => {
    folder = await mkdtempDisposable(join(tmpdir(), 'keys-test-'));
    file = join(folder.path, 'keys.json');
    lines = [];
    nowMs = 0;
  });
  afterEach(async () => {
    ring?.close();
    await folder.remove();
  });

  const write = (...keys: readonly object[]): Promise<void> => writeFile(file, JSON.stringify({ keys }));
  const open = (settings: { readonly authToken?: string; readonly urlSigningSecret?: string } = {}): KeyRing =>
    (ring = createKeyRing({
      keysFile: file,
      authToken: undefined,
      urlSigningSecret: undefined,
      ...settings,
      fieldNames: new Set(['url']),
      now: () => nowMs,
      log: pino({}, { write: (line: string) => void lines.push(line) }),
    }));
  const idOf = (token: string): string | undefined => ring?.byToken(token)?.id;

  it('finds keys by token and by id', async () => {
    await write(keyOf('shop'), keyOf('blog'));
    open();

    expect(['token of shop', 'token of blog', 'token', ''].map(idOf)).toEqual(['shop', 'blog', undefined, undefined]);
    expect(['shop', 'default', 'none'].map((id) => ring?.byId(id)?.id)).toEqual(['shop', undefined, undefined]);
  });

  it('makes the key default of AUTH_TOKEN and URL_SIGNING_SECRET, with every scope', async () => {
    await write(keyOf('shop'));
    open({ authToken: 'admin', urlSigningSecret: 'links' });

    expect(idOf('admin')).toBe('default');
    expect([...(ring?.byId('default')?.scopes ?? [])]).toEqual(['capture', 'sign', 'jobs', 'mcp', 'usage']);
    expect(ring?.byId('default')?.signingSecrets).toEqual(['links']);
  });

  it('does not know disabled and expired keys', async () => {
    await write(keyOf('off', { disabled: true }), keyOf('old', { expires_at: '2027-01-01T00:00:00Z' }));
    open();
    expect(['token of off', 'token of old'].map(idOf)).toEqual([undefined, 'old']);

    nowMs = Date.UTC(2027, 0, 1);

    expect(idOf('token of old')).toBeUndefined();
    expect(ring?.byId('old')).toBeUndefined();
  });

  it('follows the file within two seconds, also behind a link that is replaced', async () => {
    const link = join(folder.path, 'link.json');
    await write(keyOf('shop'));
    await symlink(file, link);
    file = link;
    open();
    const other = join(folder.path, 'other.json');
    await writeFile(other, JSON.stringify({ keys: [keyOf('blog')] }));
    await utimes(other, 1, 1);
    await symlink(other, `${link}.new`);

    await rename(`${link}.new`, link);

    await eventually(() => expect(idOf('token of blog')).toBe('blog'));
    expect(idOf('token of shop')).toBeUndefined();
  });

  it('keeps the last valid keys if the file becomes invalid or goes away, and says so', async () => {
    await write(keyOf('shop'));
    open();

    await writeFile(file, '{"keys": [{"id": "shop"}]}');
    ring?.reload();
    expect(idOf('token of shop')).toBe('shop');
    expect(lines.join()).toContain('keys[0]: needs token_sha256 or signing_secrets');
    await rename(file, `${file}.old`);
    ring?.reload();

    expect(idOf('token of shop')).toBe('shop');
    expect(lines.join()).toContain('ENOENT');
  });

  // The error of `stat` was thrown in a timer, which ended the service.
  it('keeps the last valid keys while the file cannot be found out about, and reads it again afterwards', async () => {
    await write(keyOf('shop'));
    open();

    await rename(file, `${file}.old`);
    await symlink(file, file);
    await eventually(() => expect(lines.join()).toContain('ELOOP'));
    expect(idOf('token of shop')).toBe('shop');
    await unlink(file);
    await write(keyOf('blog'));

    await eventually(() => expect(idOf('token of blog')).toBe('blog'));
  });

  it('does not start with an invalid file', async () => {
    expect(() => open()).toThrow('KEYS_FILE: ENOENT');
    await write({ id: 'shop' });
    expect(() => open()).toThrow('KEYS_FILE: keys[0]: needs token_sha256 or signing_secrets');
  });
});
