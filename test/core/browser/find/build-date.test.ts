import { mkdtempDisposable, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { daysSince, findBuildDate, warnOfOldBrowser } from '../../../../src/core/browser/find/build-date.ts';

const BUILT = new Date('2026-09-09T10:36:00Z');
const daysAgo = (days: number): Date => new Date(Date.now() - days * 86_400_000 - 1_000);

async function buildDateOf(
  source: Parameters<typeof findBuildDate>[0]['source'],
  { name, time }: { name: string; time: Date },
): Promise<Date | undefined> {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'build-date-test-'));
  const [path, file] = [join(folder.path, 'chromium'), join(folder.path, name)];
  await writeFile(path, '');
  await writeFile(file, '');
  await utimes(file, time, time);
  return findBuildDate({ path, source, kind: 'headless-shell', environment: {} });
}

describe('findBuildDate', () => {
  it.each(['system', 'setting'] as const)('is the time of a program that is found by %s', async (source) => {
    expect(await buildDateOf(source, { name: 'chromium', time: BUILT })).toEqual(BUILT);
  });

  it('is the time of a library of the npm package', async () => {
    expect(await buildDateOf('embedded', { name: 'libEGL.so', time: BUILT })).toEqual(BUILT);
  });

  it.each([
    ['a download of Puppeteer', 'puppeteer-cache', BUILT],
    ['an archive without times', 'system', new Date('1985-10-26')],
    ['a wrong clock', 'system', daysAgo(-2)],
  ] as const)('is unknown for %s', async (_what, source, time) => {
    expect(await buildDateOf(source, { name: 'chromium', time })).toBeUndefined();
  });
});

describe('warnOfOldBrowser', () => {
  it.each([
    [undefined, 0],
    [daysAgo(60), 0],
    [daysAgo(61), 1],
  ])('warns of a browser that was built at %j %d times', (builtAt, times) => {
    const warn = vi.fn<() => void>();

    warnOfOldBrowser(builtAt, 'system', { warn });

    expect(warn).toHaveBeenCalledTimes(times);
    expect(builtAt && daysSince(builtAt)).toBe(builtAt && (times === 0 ? 60 : 61));
  });

  it.each([
    ['embedded', /npx puppeteer browsers install chrome-headless-shell@stable/],
    ['system', /packages of the system/],
    ['setting', /BROWSER_EXECUTABLE/],
  ] as const)('has the way to a newer browser for one that is %s', (source, way) => {
    const warn = vi.fn<(...words: unknown[]) => void>();

    warnOfOldBrowser(daysAgo(61), source, { warn });

    expect(warn).toHaveBeenCalledExactlyOnceWith(expect.anything(), expect.stringMatching(way));
  });
});
