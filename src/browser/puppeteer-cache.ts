import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { readProgramFile } from './program-file.ts';

const CACHED_BROWSERS = [
  { kind: 'headless-shell', name: 'chrome-headless-shell' },
  { kind: 'chrome', name: 'chrome' },
] as const;

export interface CachedBrowser {
  readonly path: string;
  readonly kind: (typeof CACHED_BROWSERS)[number]['kind'];
}

/** The newest browser that `@puppeteer/browsers` downloaded for this kind of machine, a headless shell first. */
export async function findInPuppeteerCache(cacheDir: string): Promise<CachedBrowser | undefined> {
  const platform = process.arch === 'arm64' ? 'linux_arm-' : 'linux-';
  for (const { kind, name } of CACHED_BROWSERS) {
    // <cache>/chrome/linux-153.0.8010.0/chrome-linux64/chrome
    const versions = (await list(join(cacheDir, name))).filter((folder) => folder.startsWith(platform));
    for (const version of versions.sort(newestFirst)) {
      for (const build of await list(join(cacheDir, name, version))) {
        const file = await readProgramFile(join(cacheDir, name, version, build, name));
        if (file.kind === 'binary') return { path: file.path, kind };
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
