import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createFilterLists, type FilterLists } from '../../../../src/features/blocking/lists/filter-lists.ts';
import { ListsUnreadError, parseListsInChild } from '../../../../src/features/blocking/lists/parse-in-child.ts';
import type { Logger } from '../../../../src/core/ground/log.ts';
import { eventually } from '../../../support/eventually.ts';
import { fake } from '../../../support/fake.ts';
import { createNumbers, generateList } from '../../../support/filter-list.ts';
import { childrenOf } from '../../../support/processes.ts';

interface Line extends Readonly<Record<string, unknown>> {
  readonly level: string;
}

const POLL_MS = 20;

const blocks = async ({ engine }: FilterLists, host: string): Promise<boolean | undefined> => {
  const request = { url: `https://${host}/`, resourceType: 'Script', source: 'https://example.com/' };
  return (await engine())?.forPage()(request);
};

describe('filter lists of an operator', () => {
  let folder: string;
  let lists: FilterLists | undefined;
  const lines: Line[] = [];
  const write =
    (level: string) =>
    (fields: object, msg: string): void => {
      lines.push({ level, msg, ...fields });
    };
  const log = fake<Logger>({ info: write('info'), warn: write('warn'), error: write('error') });
  const pathOf = (name: string): string => join(folder, name);
  const open = (paths: readonly string[], read?: typeof parseListsInChild): FilterLists => {
    lists = createFilterLists({ paths, log, pollMs: POLL_MS, ...(read && { read }) });
    lists.start();
    return lists;
  };
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'lists-'));
  });
  afterEach(async () => {
    await lists?.close();
    lines.length = 0;
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('may be 5 MB with invalid lines, which are counted', { timeout: 120_000 }, async () => {
    const { text, broken } = generateList(5_000_000);
    await writeFile(pathOf('large.txt'), text);

    const engine = await open([pathOf('large.txt')]).engine();

    const total = text.split('\n').length - 2;
    expect(lines).toEqual([
      expect.objectContaining({
        level: 'info',
        msg: 'filter lists read',
        files: 1,
        unread: broken,
        leftOut: 0,
      }),
    ]);
    expect(Number(lines[0]?.['network']) + Number(lines[0]?.['cosmetic'])).toBe(total - broken);
    expect(broken).toBeGreaterThan(100);
    const number = createNumbers(11);
    const isListed = Array.from({ length: 100 }, () => engine?.forPage());
    for (let count = 0; count < 10_000; count++) {
      const noise = Array.from({ length: number(200) }, () => String.fromCharCode(32 + number(number(2) * 900 + 95)));
      const url = [`https://${noise.join('')}`, noise.join(''), `wss://a.example/${noise.join('')}`][number(3)] ?? '';
      const types = ['Image', 'Script', 'Document', 'Nonsense'];
      isListed[count % 100]?.({ url, resourceType: types[number(4)] ?? '', source: noise.join('') });
    }
  });

  it('are reloaded when they change, also through a symbolic link, and stay if they cannot be read', async () => {
    await Promise.all(['one', 'two', 'three'].map((name) => mkdir(pathOf(name))));
    await writeFile(pathOf('one/list.txt'), '||ads.example^');
    await writeFile(pathOf('two/list.txt'), '||trackers.example^');
    const pointTo = async (name: string): Promise<void> => {
      await symlink(name, pathOf('next'));
      await rename(pathOf('next'), pathOf('current'));
    };
    await pointTo('one');
    const opened = open([pathOf('current/list.txt')]);
    expect(await blocks(opened, 'ads.example')).toBe(true);

    await pointTo('two');
    await eventually(async () => expect(await blocks(opened, 'trackers.example')).toBe(true));
    expect(await blocks(opened, 'ads.example')).toBe(false);

    await writeFile(pathOf('two/list.txt'), '<!doctype html><p>Not found');
    const warning = {
      level: 'warn',
      reason: 'one of them is not a filter list, but markup or binary data',
      triesAgain: false,
    };
    await eventually(() => expect(lines).toContainEqual(expect.objectContaining(warning)));
    await pointTo('three'); // a broken link
    const missing = { level: 'warn', reason: "one of them can't be read (ENOENT)" };
    await eventually(() => expect(lines).toContainEqual(expect.objectContaining(missing)));
    expect(await blocks(opened, 'trackers.example')).toBe(true);
    expect(lines.filter(({ level }) => level === 'warn')).toHaveLength(2);

    await writeFile(pathOf('three/list.txt'), '||back.example^');
    await eventually(async () => expect(await blocks(opened, 'back.example')).toBe(true));
  });

  it('are skipped with a warning if their parser process is killed; a later attempt may load them', async () => {
    await writeFile(pathOf('list.txt'), '||ads.example^');
    let tries = 0;
    const opened = open([pathOf('list.txt')], async (paths, signal) => {
      const before = new Set(childrenOf(process.pid).map(({ pid }) => pid));
      const reading = parseListsInChild(paths, signal);
      const started = childrenOf(process.pid).filter(({ pid }) => !before.has(pid));
      if (++tries === 1) for (const { pid } of started) process.kill(pid, 'SIGKILL');
      return await reading;
    });

    expect(await opened.engine()).toBeUndefined();
    expect(lines).toEqual([
      expect.objectContaining({
        level: 'error',
        reason: 'the process that parses them ended early: SIGKILL',
        triesAgain: true,
      }),
    ]);
    await eventually(async () => expect(await blocks(opened, 'ads.example')).toBe(true));
  });

  it('are abandoned after three attempts', async () => {
    let tries = 0;
    await writeFile(pathOf('list.txt'), '||ads.example^');
    const opened = open([pathOf('list.txt')], async () => {
      tries++;
      throw new ListsUnreadError('killed', true);
    });

    await opened.engine();
    await eventually(() => expect(lines.map(({ triesAgain }) => triesAgain)).toEqual([true, true, false]));
    expect(tries).toBe(3);
  });

  it('leave no process and no waiting caller if they are closed during parsing', async () => {
    await writeFile(pathOf('large.txt'), generateList(5_000_000).text);
    const before = childrenOf(process.pid).length;
    const opened = open([pathOf('large.txt')]);
    const waiting = opened.engine();
    await eventually(() => expect(childrenOf(process.pid).length).toBe(before + 1));

    await opened.close();

    expect(await waiting).toBeUndefined();
    expect(childrenOf(process.pid).length).toBe(before);
    expect(lines).toEqual([]);
  });

  it('may be empty', async () => {
    expect(await open([]).engine()).toBeUndefined();
  });
});
