import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { readProgramFile } from './program-file.ts';

const MAC_CHROME = 'Google Chrome for Testing.app/Contents/MacOS/Google Chrome for Testing';

/** Where a browser lies inside its build's folder: on Linux, as a program of Windows, or in an application of macOS. */
const CACHED_BROWSERS = [
  {
    kind: 'headless-shell',
    name: 'chrome-headless-shell',
    programs: ['chrome-headless-shell', 'chrome-headless-shell.exe'],
  },
  { kind: 'chrome', name: 'chrome', programs: ['chrome', 'chrome.exe', MAC_CHROME] },
] as const;

/** How the folder of a build for this kind of machine begins. */
const PLATFORMS: Readonly<Record<string, string>> = {
  'linux x64': 'linux-',
  'linux arm64': 'linux_arm-',
  'darwin x64': 'mac-',
  'darwin arm64': 'mac_arm-',
  'win32 x64': 'win64-',
  'win32 arm64': 'win64-', // Windows translates
};

/** What the folders are looked through for; for tests. */
interface Machine {
  readonly platform: string;
  readonly arch: string;
}

export interface CachedBrowser {
  readonly path: string;
  readonly kind: (typeof CACHED_BROWSERS)[number]['kind'];
}

/** The newest browser that `@puppeteer/browsers` downloaded for this kind of machine, a headless shell first. */
export async function findInPuppeteerCache(
  cacheDir: string,
  { platform, arch }: Machine = process,
): Promise<CachedBrowser | undefined> {
  const prefix = PLATFORMS[`${platform} ${arch}`];
  if (prefix === undefined) return undefined;
  for (const { kind, name, programs } of CACHED_BROWSERS) {
    // <cache>/chrome/linux-153.0.8010.0/chrome-linux64/chrome
    const versions = (await list(join(cacheDir, name))).filter((folder) => folder.startsWith(prefix));
    for (const version of versions.sort(newestFirst)) {
      for (const build of await list(join(cacheDir, name, version))) {
        for (const program of programs) {
          const file = await readProgramFile(join(cacheDir, name, version, build, program));
          if (file.kind === 'binary') return { path: file.path, kind };
        }
      }
    }
  }
  return undefined;
}

async function list(folder: string): Promise<string[]> {
  return readdir(folder).catch(() => []); // most machines have no such cache
}

/** 131.0.10 is newer than 131.0.9. */
function newestFirst(first: string, second: string): number {
  return second.localeCompare(first, 'en', { numeric: true });
}
