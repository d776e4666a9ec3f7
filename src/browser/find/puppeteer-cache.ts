import {
  Browser,
  detectBrowserPlatform,
  getInstalledBrowsers,
  getVersionComparator,
} from '@puppeteer/browsers';
import { readProgramFile } from './program-file.ts';

const KINDS = [
  [Browser.CHROMEHEADLESSSHELL, 'headless-shell'],
  [Browser.CHROME, 'chrome'],
] as const;

export interface CachedBrowser {
  readonly path: string;
  readonly kind: 'headless-shell' | 'chrome';
}

/** Returns the newest browser that Puppeteer downloaded for this kind of machine. Prefers a headless shell. */
export async function findInPuppeteerCache(cacheDir: string): Promise<CachedBrowser | undefined> {
  const installed = await getInstalledBrowsers({ cacheDir }).catch(() => []); // unreadable for this user
  for (const [browser, kind] of KINDS) {
    const compare = getVersionComparator(browser);
    const builds = installed
      .filter((build) => build.browser === browser && build.platform === detectBrowserPlatform())
      .toSorted((one, other) => compare(other.buildId, one.buildId));
    for (const { executablePath } of builds) {
      const file = await readProgramFile(executablePath);
      if (file.kind === 'binary') return { path: file.path, kind };
    }
  }
  return undefined;
}
