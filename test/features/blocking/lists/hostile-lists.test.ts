import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseLists } from '../../../../src/features/blocking/lists/parse-lists.ts';
import { parseListsInChild } from '../../../../src/features/blocking/lists/parse-in-child.ts';

const RULE = '||ads.example^\n';

describe('a hostile filter list', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hostile-lists-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  it.each<[string, string, object]>([
    ['a line of 20 million characters', `||${'a'.repeat(20_000_000)}.example^\n`, { unread: 1 }],
    ['a hiding rule of 20 million characters', `##${'a > '.repeat(5_000_000)}b\n`, { unread: 1 }],
    ['a rule for 5,000 sites', `||b.example^$domain=${'a.example|'.repeat(5_000)}c.example\n`, { network: 2 }],
    ['lists that include themselves', '!#include list.txt\n'.repeat(10_000), { network: 1 }],
    ['endlessly backtracking expressions', '/(a+)+$/\n/^(a|aa)+$/\n/(.*)*b/\n', { leftOut: 3 }],
    ['an expression of 40,000 nested alternatives', `/${'(|'.repeat(40_000)}a${')'.repeat(40_000)}/\n`, {}],
    ['a condition of 40,000 brackets', `!#if ${'('.repeat(40_000)}x${')'.repeat(40_000)}\n!#endif\n`, {}],
    ['a selector of 20,000 brackets', `##${':is('.repeat(20_000)}p${')'.repeat(20_000)}\n`, {}],
  ])('is loaded if it contains %s: the other rules apply', (_name, text, counts) => {
    expect(parseLists([text + RULE]).counts).toMatchObject({ network: 1, ...counts });
  });

  it.each([
    ['conditions nested 100,000 deep', '!#if env_chromium\n'.repeat(100_000) + RULE, /nested deeper than 50/],
    ['binary data', `\0\x01\x02${RULE}`, /not a filter list/],
    ['UTF-16 text', Buffer.from(RULE, 'utf16le').toString('latin1'), /not a filter list/],
    ['no rules', '! nothing\n'.repeat(1_000), /no rule/],
  ])('is refused if it contains %s', (_name, text, problem) => {
    expect(() => parseLists([text])).toThrow(problem);
  });

  it.each<[string, (path: string) => unknown, RegExp]>([
    ['a link to a device', (path) => symlink('/dev/zero', path), /one of them is not a file/],
    ['a pipe that nobody writes to', (path) => execFileSync('mkfifo', [path]), /one of them is not a file/],
    ['a folder', () => undefined, /one of them (is not a file|can't be read)/],
    [
      'a file of 100 GB',
      (path) => writeFile(path, '').then(() => truncate(path, 100 * 1024 ** 3)),
      /larger than 33554432 bytes/,
    ],
    ['a link to itself', (path) => symlink(path, path), /can't be read \(ELOOP\)/],
  ])('is not loaded if it has become %s', async (name, become, problem) => {
    const path = name === 'a folder' ? folder : join(folder, name.replaceAll(' ', '-'));
    await become(path);

    await expect(parseListsInChild([path], AbortSignal.timeout(25_000))).rejects.toThrow(problem);
  });
});
