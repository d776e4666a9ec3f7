import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readlinkSync, watch } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readFile, rename, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createFileStorage, type FileStorage } from '../../../src/parts/storage/file-storage.ts';
import { eventually } from '../../support/eventually.ts';

const TEN = Buffer.from('0123456789');
const TTL = 60;

let folder: string;
let storage: FileStorage;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'storage-test-'));
  storage = createFileStorage({ folder, linkTtlSeconds: TTL, now: () => 1_000_000 });
  await storage.prepare();
});
afterEach(async () => {
  await storage[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

async function read(path: string): Promise<{ body: string; contentType: string; bytes: number } | undefined> {
  const found = await storage.get(path);
  return found && { ...found, body: await text(found.body) };
}

/** Returns what was read after each of a hundred writes. */
async function writeAndDelete(
  { put, get, delete: remove }: FileStorage,
  path: string,
): Promise<ReadonlySet<string | undefined>> {
  const bodies = new Set<string | undefined>();
  for (let writes = 0; writes < 100; writes++) {
    await put(path, TEN, 'text/plain');
    const found = await get(path);
    bodies.add(found && (await text(found.body)));
    await remove(path);
  }
  return bodies;
}

/** Returns the names of the temporary files of a running write. */
async function partsDuring({ put }: FileStorage): Promise<readonly string[]> {
  const seen = new Set<string>();
  const watcher = watch(join(folder, '~parts'), (_, name) => name !== null && seen.add(name));
  await put('seen', TEN, 'text/plain');
  await eventually(() => expect(seen.size).toBeGreaterThan(0));
  watcher.close();
  return [...seen];
}

describe('a file storage', () => {
  it('returns a stored file with its type and length', async () => {
    await storage.put('2026/11/a-b_c.d', TEN, 'image/png');

    expect(await read('2026/11/a-b_c.d')).toEqual({
      body: '0123456789',
      contentType: 'image/png',
      bytes: 10,
    });
  });

  it('stores a file unchanged at its path, for other programs', async () => {
    await storage.put('a/b.txt', TEN, 'text/plain');

    expect(await readFile(join(folder, 'a/b.txt'))).toEqual(TEN);
  });

  it('replaces an existing file and its type', async () => {
    await storage.put('a', TEN, 'image/png');
    await storage.put('a', Buffer.from('new'), 'text/plain');

    expect(await read('a')).toEqual({ body: 'new', contentType: 'text/plain', bytes: 3 });
  });

  it('stores an empty file', async () => {
    await storage.put('a', Buffer.alloc(0), 'text/plain');

    expect(await read('a')).toEqual({ body: '', contentType: 'text/plain', bytes: 0 });
  });

  it('returns nothing for a missing file or a folder', async () => {
    await storage.put('a/b', TEN, 'text/plain');

    expect([await read('b'), await read('a'), await read('a/b/c'), await read('c/d')]).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('deletes a file with everything created for it, and ignores a missing one', async () => {
    await storage.put('2026/11/a', TEN, 'text/plain');
    await storage.put('2026/b', TEN, 'text/plain');

    await storage.delete('2026/11/a');
    await storage.delete('2026/11/a');
    await storage.delete('2026');

    expect(new Set(readdirSync(folder, { recursive: true, encoding: 'utf8' }))).toEqual(
      new Set(['2026', '2026/.b~type', '2026/b', '~parts']),
    );
  });

  it('returns whole files of one writer with their type during concurrent writes and reads', async () => {
    const reads: string[] = [];
    await storage.put('a', Buffer.alloc(20_000, '0'), 'text/0');
    const writers = Array.from({ length: 5 }, async (_, digit) => {
      const body = Buffer.alloc(20_000, `${digit}`);
      for (let left = 5; left > 0; left--) await storage.put('a', body, `text/${digit}`);
    });
    const readers = Array.from({ length: 4 }, async () => {
      for (let left = 20; left > 0; left--) {
        const { body = '', contentType } = (await read('a')) ?? {};
        reads.push(`${contentType} ${body.length} ${[...new Set(body)].join('')}`);
      }
    });

    await Promise.all([...writers, ...readers]);

    expect(reads).toHaveLength(80);
    expect(reads.filter((each) => !/^text\/(\d) 20000 \1$/.test(each))).toEqual([]);
  });

  it('writes into a folder that another process removes because it is empty', async () => {
    await using other = createFileStorage({ folder, linkTtlSeconds: TTL });

    const bodies = await Promise.all([writeAndDelete(storage, 'deep/er/new'), writeAndDelete(other, 'deep/er/old')]);

    expect(bodies).toEqual([new Set(['0123456789']), new Set(['0123456789'])]);
  });

  it('gives each reader the type of its bytes while two processes write one path', async () => {
    await storage.put('a', Buffer.alloc(20_000, '0'), 'text/0');
    const writer = fileURLToPath(new URL('../../support/write-often.ts', import.meta.url));
    const writers = ['1', '2', '3'].map((digit) => spawn(process.execPath, [writer, folder, 'a', digit, '150']));
    const ended = Promise.all(writers.map((each) => once(each, 'exit')));
    const reads: string[] = [];

    while (writers.some(({ exitCode, signalCode }) => exitCode === null && signalCode === null)) {
      const { body = '', contentType } = (await read('a')) ?? {};
      reads.push(`${contentType} ${body.length} ${[...new Set(body)].join('')}`);
    }

    expect((await ended).map(([code]) => Number(code))).toEqual([0, 0, 0]);
    expect(new Set(reads).size).toBeGreaterThan(2);
    expect(reads.filter((each) => !/^text\/(\d) 20000 \1$/.test(each))).toEqual([]);
    expect((await stat(join(folder, '.a~type'))).size).toBeLessThan(10_000);
  });

  it.each(['image/png', ''])('gives a file of an earlier version its recorded type (%s)', async (type) => {
    await writeFile(join(folder, 'a'), TEN);
    await writeFile(join(folder, '.a~type'), type);
    await utimes(join(folder, 'a'), 1, 1);
    const before = await read('a');

    await storage.put('a', TEN, 'application/pdf');

    expect(before).toMatchObject({ contentType: type === '' ? 'application/octet-stream' : type });
    expect(await read('a')).toMatchObject({ contentType: 'application/pdf' });
  });

  it('gives a restored copy its type', async () => {
    await storage.put('a', TEN, 'image/png');
    await storage.put('a', TEN, 'text/html; charset=utf-8');
    await copyFile(join(folder, 'a'), join(folder, 'copy'));
    await rename(join(folder, 'copy'), join(folder, 'a'));

    expect(await read('a')).toMatchObject({ contentType: 'text/html; charset=utf-8' });
  });

  it.each([
    ['a', 'a/b'],
    ['a/b/c', 'a/b'],
  ])('refuses a conflicting path: %s, then %s', async (first, second) => {
    await storage.put(first, TEN, 'text/plain');

    await expect(storage.put(second, TEN, 'text/plain')).rejects.toMatchObject({
      type: 'ValidationError',
      details: expect.stringMatching(/^store_path: /),
    });
    expect(readdirSync(join(folder, '~parts'))).toEqual([]);
    await storage.delete(first);
    expect(readdirSync(folder)).toEqual(['~parts']);
  });
});

describe('a path out of the folder', () => {
  let outside: string;
  beforeEach(async () => {
    outside = await mkdtemp(join(tmpdir(), 'storage-test-outside-'));
    await writeFile(join(outside, 'secret'), 'secret');
    await symlink(outside, join(folder, 'out'));
    await symlink(join(outside, 'secret'), join(folder, 'file'));
  });
  afterEach(() => rm(outside, { recursive: true, force: true }));

  it('is not read through a symbolic link to a folder or a file', async () => {
    expect([await read('out/secret'), await read('file')]).toEqual([undefined, undefined]);
  });

  it('is not written through a link to a folder', async () => {
    for (const path of ['out/new', 'out/deep/new']) {
      await expect(storage.put(path, TEN, 'text/plain')).rejects.toThrow('symbolic link');
    }
    expect(readdirSync(outside)).toEqual(['secret']);
  });

  it('is not written through a link to a file, which is replaced', async () => {
    await storage.put('file', TEN, 'text/plain');

    expect(await readFile(join(outside, 'secret'), 'utf8')).toBe('secret');
    expect(await read('file')).toMatchObject({ body: '0123456789' });
  });

  it('is not deleted through a link to a folder', async () => {
    await storage.delete('out/secret');

    expect(existsSync(join(outside, 'secret'))).toBe(true);
  });

  it('does not block on a named pipe', async () => {
    execFileSync('mkfifo', [join(folder, 'pipe')]);

    expect(await read('pipe')).toBeUndefined();
  });
});

describe('a faulty folder', () => {
  it('is reported with its cause and without its path, and works once it can be written', async () => {
    await writeFile(join(folder, 'file'), '');
    await using late = createFileStorage({ folder: join(folder, 'file/storage'), linkTtlSeconds: TTL });
    const message = /^the folder of STORAGE or DATA_DIR cannot be written: a file exists where a folder is needed$/;

    // All of them have a handler at once: whichever fails first must not count as unhandled.
    await Promise.all(
      [late.prepare(), late.put('a', TEN, 'text/plain'), late.get('a'), late.delete('a')].map((call) =>
        expect(call).rejects.toMatchObject({ name: 'StorageProblem', message: expect.stringMatching(message) }),
      ),
    );
    await expect(late.checkLink('a', new Map([['signature', 'x']]))).rejects.toMatchObject({
      type: 'StorageError',
    });
    await rm(join(folder, 'file'));
    await late.put('a', TEN, 'text/plain');

    const found = await late.get('a');
    found?.body.destroy();
    expect(found).toMatchObject({ bytes: 10 });
  });

  it('leaves no part of a file that it could not write', async () => {
    await storage.put('a', TEN, 'text/plain');
    await rm(join(folder, '~parts'), { recursive: true });
    await writeFile(join(folder, '~parts'), '');

    await expect(storage.put('a', Buffer.from('new'), 'text/plain')).rejects.toThrow('ENOTDIR');
    expect(await read('a')).toMatchObject({ body: '0123456789' });
  });

  it.skipIf(process.platform !== 'linux')('closes a file whose type cannot be read', async () => {
    await storage.put('a', TEN, 'text/plain');
    await rm(join(folder, '.a~type'));
    await mkdir(join(folder, '.a~type'));

    await expect(storage.get('a')).rejects.toMatchObject({ code: 'EISDIR' });
    const open = readdirSync('/proc/self/fd').flatMap((fd) => {
      const path = `/proc/self/fd/${fd}`;
      return existsSync(path) ? readlinkSync(path) : [];
    });
    expect(open.filter((path) => path.startsWith(folder))).toEqual([]);
  });

  it('removes the parts of ended processes and old parts of other machines, and no others', async () => {
    const ended = spawn('true');
    await once(ended, 'exit');
    const [own = ''] = await partsDuring(storage);
    const running = own.replace(`_${process.pid}-`, `_${process.ppid}-`).replace(/(_\d+-)\d+-/, '$1-');
    const names = {
      own,
      running,
      ended: own.replace(`_${process.pid}-`, `_${ended.pid}-`),
      reused: own.replace(/(_\d+-)\d+-/, '$11-'),
      elsewhere: own.replace(/^[^_]+/, 'elsewhere'),
      elsewhereOld: own.replace(/^[^_]+/, 'elsewhere-old'),
    };
    for (const name of Object.values(names)) await writeFile(join(folder, '~parts', name), '');
    await utimes(join(folder, '~parts', names.elsewhereOld), 1, 1);
    await using next = createFileStorage({ folder, linkTtlSeconds: TTL });

    await next.prepare();

    const left = readdirSync(join(folder, '~parts'));
    expect(left.toSorted()).toEqual([names.own, names.running, names.elsewhere].toSorted());
  });

  it.skipIf(process.getuid?.() !== 0)('reports a full disk, and keeps the previous file', async () => {
    const disk = join(folder, 'disk');
    await mkdir(disk);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', disk]);
    try {
      await using small = createFileStorage({ folder: disk, linkTtlSeconds: TTL });
      await small.put('a', TEN, 'text/plain');

      await expect(small.put('a', Buffer.alloc(500_000), 'text/plain')).rejects.toMatchObject({
        code: 'ENOSPC',
      });
      const found = await small.get('a');
      expect(found && (await text(found.body))).toBe('0123456789');
      expect(readdirSync(join(disk, '~parts'))).toEqual([]);
    } finally {
      execFileSync('umount', [disk]);
    }
  });
});

function parse(url: string): { path: string; query: Map<string, string> } {
  const { pathname, searchParams } = new URL(url, 'http://a.test');
  return { path: pathname.replace('/stored/', ''), query: new Map(searchParams) };
}

describe('a link to a stored file', () => {
  it('opens its file until it expires, for every instance that shares the folder', async () => {
    const { url, expiresAt } = await storage.link('a/b.png');
    const other = createFileStorage({ folder, linkTtlSeconds: TTL, now: () => 1_060_000 });
    const later = createFileStorage({ folder, linkTtlSeconds: TTL, now: () => 1_061_000 });
    const { path, query } = parse(url);

    expect([path, expiresAt]).toEqual(['a/b.png', new Date(1_060_000)]);
    await other.checkLink(path, query);
    await expect(later.checkLink(path, query)).rejects.toMatchObject({ type: 'SignatureExpiredError' });
  });

  it('opens no other file, and not after its expiry', async () => {
    const { path, query } = parse((await storage.link('a/b.png')).url);
    const altered = new Map([...query, ['expires', '9999999999']]);
    const endless = new Map([...query].filter(([name]) => name !== 'expires'));
    const unsigned = new Map([...query].filter(([name]) => name !== 'signature'));

    for (const given of [altered, unsigned]) {
      await expect(storage.checkLink(path, given)).rejects.toMatchObject({ type: 'InvalidSignatureError' });
    }
    await expect(storage.checkLink(path, endless)).rejects.toMatchObject({ type: 'SignatureExpiredError' });
    await expect(storage.checkLink('a/c.png', query)).rejects.toMatchObject({
      type: 'InvalidSignatureError',
    });
  });

  it('becomes invalid when the key of the folder is removed', async () => {
    const { path, query } = parse((await storage.link('a')).url);
    await rm(join(folder, '~key'));
    const anew = createFileStorage({ folder, linkTtlSeconds: TTL, now: () => 1_000_000 });

    await expect(anew.checkLink(path, query)).rejects.toMatchObject({ type: 'InvalidSignatureError' });
  });

  it('is signed with one key by concurrently starting instances', async () => {
    const many = Array.from({ length: 40 }, () =>
      createFileStorage({ folder, linkTtlSeconds: TTL, now: () => 1_000_000 }),
    );
    const linking: Promise<{ readonly url: string }>[] = [];
    for (const each of many) {
      linking.push(each.link('a'));
      await stat(folder); // staggers the starts
    }
    const links = await Promise.all(linking);

    expect(new Set(links.map(({ url }) => url)).size).toBe(1);
    expect(readdirSync(folder).toSorted()).toEqual(['~key', '~parts']);
  });
});
