import { stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Logger } from '../../ground/log.ts';
import type { BrowserExecutable } from './executable.ts';

/**
 * Earliest plausible build date: this headless shell did not exist before. Archives without times give their files a
 * time from 1970 to 1985.
 */
const EARLIEST = Date.UTC(2020, 0);
/** Age from which a browser is old. Chrome fixes security holes every week or two. */
const OLD_DAYS = 60;

/**
 * Returns when a browser was built: the time of its file, which packages keep. Undefined if it is not known.
 * Puppeteer's downloads have the time of the download.
 */
export async function findBuildDate({ path, source }: BrowserExecutable): Promise<Date | undefined> {
  if (source === 'puppeteer-cache') return undefined;
  // The program of the npm package is unpacked without its time, but the library beside it keeps its own.
  const file = source === 'embedded' ? join(dirname(path), 'libEGL.so') : path;
  const { mtime } = await stat(file).catch(() => ({ mtime: undefined }));
  if (mtime === undefined || mtime.getTime() < EARLIEST || mtime.getTime() > Date.now()) return undefined;
  return mtime;
}

/** Returns the whole days since a date. */
export function daysSince(date: Date): number {
  return Math.floor((Date.now() - date.getTime()) / 86_400_000);
}

/** How an operator gets a newer browser. A download by Puppeteer is preferred to the browser of the npm package. */
const UPDATES = {
  embedded: 'run `npx puppeteer browsers install chrome-headless-shell@stable` and restart',
  'puppeteer-cache': 'run `npx puppeteer browsers install chrome-headless-shell@stable` and restart',
  system: 'update it by the packages of the system and restart',
  setting: 'set BROWSER_EXECUTABLE to a newer one and restart',
};

/** Logs a warning with the way out if the browser is older than 60 days. */
export function warnOfOldBrowser(
  builtAt: Date | undefined,
  source: BrowserExecutable['source'],
  log: Pick<Logger, 'warn'>,
): void {
  const days = builtAt === undefined ? 0 : daysSince(builtAt);
  if (days <= OLD_DAYS) return;
  log.warn(
    { built: builtAt, days },
    `the browser is old, and pages can use its known security holes: ${UPDATES[source]}`,
  );
}
