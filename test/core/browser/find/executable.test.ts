import { chmod, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findBrowser } from '../../../../src/core/browser/find/executable.ts';
import type { BrowserSearch } from '../../../../src/core/browser/find/executable.ts';

const ELF = '\u007fELF';
const WRAPPER = '#!/bin/sh\n/usr/lib/chromium/chromium "$@"\n';

let root: string;

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'executable-test-')));
});

afterEach(async () => {
  await rm(root, { recursive: true, force: true });
});

async function place(path: string, content = ELF, mode = 0o755): Promise<string> {
  const file = join(root, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, content);
  await chmod(file, mode);
  return file;
}

/** Simulates a machine with only the files that the test has created. */
function search(changes: Partial<BrowserSearch> = {}): BrowserSearch {
  const path = `${join(root, 'usr/local/bin')}:${join(root, 'usr/bin')}`;
  return { path, home: join(root, 'home'), root, findEmbedded: async () => undefined, ...changes };
}

describe('findBrowser with BROWSER_EXECUTABLE', () => {
  it.each([
    ['opt/chrome-headless-shell', 'headless-shell'],
    ['opt/headless_shell', 'headless-shell'],
    ['opt/chrome', 'chrome'],
  ])('uses %s as %s, whatever else is installed', async (path, kind) => {
    await place('usr/bin/chrome-headless-shell');
    const executable = await place(path);

    const browser = await findBrowser(search({ executable }));

    expect(browser).toEqual({ path: executable, kind, source: 'setting', environment: {} });
  });

  it('reports that the file does not exist', async () => {
    const executable = join(root, 'opt/chrome');

    await expect(findBrowser(search({ executable }))).rejects.toThrow(
      `BROWSER_EXECUTABLE names a file that does not exist, ${executable}; set it to`,
    );
  });

  it('reports that the file is not executable', async () => {
    const executable = await place('opt/chrome', ELF, 0o644);

    await expect(findBrowser(search({ executable }))).rejects.toThrow(/can't be executed/);
  });

  it('reports that the path is a folder', async () => {
    await expect(findBrowser(search({ executable: root }))).rejects.toThrow(/can't be executed/);
  });

  it('uses the program behind a wrapper script of a distribution', async () => {
    const executable = await place('usr/bin/chromium-headless-shell', WRAPPER);
    const program = await place('usr/lib/chromium/chromium-headless-shell');

    const browser = await findBrowser(search({ executable }));

    expect(browser).toMatchObject({ path: program, kind: 'headless-shell', source: 'setting' });
  });

  it('refuses an unknown script', async () => {
    const executable = await place('opt/my-chrome', WRAPPER);

    await expect(findBrowser(search({ executable }))).rejects.toThrow(/names a script/);
  });
});

describe('findBrowser in the system', () => {
  it('prefers a headless shell in a well-known place to a full browser on PATH', async () => {
    await place('usr/bin/google-chrome');
    const shell = await place('usr/lib/chromium/chromium-headless-shell');

    const browser = await findBrowser(search());

    expect(browser).toMatchObject({ path: shell, kind: 'headless-shell', source: 'system' });
  });

  it('uses a full browser if there is no headless shell', async () => {
    const chrome = await place('opt/google/chrome/chrome');

    expect(await findBrowser(search())).toMatchObject({ path: chrome, kind: 'chrome', source: 'system' });
  });

  // Debian's scripts stay as the parent of the browser, which outlived them.
  it('uses the program that a wrapper script starts, never the script', async () => {
    await place('usr/bin/chromium', WRAPPER);
    await place('usr/bin/chromium-headless-shell', WRAPPER);
    const program = await place('usr/lib/chromium/chromium');

    expect(await findBrowser(search())).toMatchObject({ path: program, kind: 'chrome' });
  });

  it('finds nothing if the only program is a wrapper script', async () => {
    await place('usr/bin/chromium', WRAPPER);

    await expect(findBrowser(search())).rejects.toThrow(/No browser was found; install Chromium/);
  });

  it('returns the target of a symbolic link', async () => {
    const program = await place('opt/shell/chrome-headless-shell');
    await mkdir(join(root, 'usr/bin'), { recursive: true });
    await symlink(program, join(root, 'usr/bin/chrome-headless-shell'));

    expect(await findBrowser(search())).toMatchObject({ path: program });
  });

  it('skips a link to snap and a broken link', async () => {
    const snap = await place('usr/bin/snap');
    await symlink(snap, join(root, 'usr/bin/chromium'));
    await symlink(join(root, 'gone'), join(root, 'usr/bin/google-chrome'));

    await expect(findBrowser(search())).rejects.toThrow(/No browser was found/);
  });

  it('does not search the working directory', async () => {
    await expect(findBrowser(search({ path: ':.:relative/bin' }))).rejects.toThrow(/No browser was found/);
  });
});

describe("findBrowser in Puppeteer's cache", () => {
  const platform = process.arch === 'arm64' ? 'linux_arm' : 'linux';

  it('uses the newest version', async () => {
    await place(`home/.cache/puppeteer/chrome/${platform}-131.0.6778.9/chrome-linux64/chrome`);
    const newest = await place(`home/.cache/puppeteer/chrome/${platform}-131.0.6778.10/chrome-linux64/chrome`);

    const browser = await findBrowser(search());

    expect(browser).toEqual({ path: newest, kind: 'chrome', source: 'puppeteer-cache', environment: {} });
  });

  it('prefers the headless shell, even an older one', async () => {
    const cacheDir = join(root, 'cache');
    await place(`cache/chrome/${platform}-153.0.1.1/chrome-linux64/chrome`);
    const shell = await place(
      `cache/chrome-headless-shell/${platform}-131.0.1.1/chrome-headless-shell-linux64/chrome-headless-shell`,
    );

    expect(await findBrowser(search({ cacheDir }))).toMatchObject({ path: shell, kind: 'headless-shell' });
  });

  it('skips builds for other platforms and incomplete downloads', async () => {
    await place('home/.cache/puppeteer/chrome/mac_arm-153.0.1.1/chrome-mac-arm64/chrome');
    await mkdir(join(root, `home/.cache/puppeteer/chrome/${platform}-153.0.1.1`), { recursive: true });

    await expect(findBrowser(search())).rejects.toThrow(/No browser was found/);
  });

  it('is searched after the system', async () => {
    await place(`home/.cache/puppeteer/chrome/${platform}-153.0.1.1/chrome-linux64/chrome`);
    const chrome = await place('usr/bin/chromium');

    expect(await findBrowser(search())).toMatchObject({ path: chrome, source: 'system' });
  });
});

describe('findBrowser without any other browser', () => {
  it('uses the one from the npm packages', async () => {
    const embedded = { path: '/packages/chromium', environment: { FONTCONFIG_FILE: '/packages/fonts.conf' } };

    const browser = await findBrowser(search({ findEmbedded: async () => embedded }));

    expect(browser).toEqual({ ...embedded, kind: 'headless-shell', source: 'embedded' });
  });
});
