import type { PagePool } from '../browser/pool/page-pool.ts';
import { NOWHERE } from '../egress/destination.ts';
import type { Logger } from '../ground/log.ts';
import { missingScripts } from '../steps/in-page/missing-scripts.ts';

const LIMIT_MS = 10_000;

/** A sample character of each common script, and the package of Debian and Ubuntu with a font for it. */
const SCRIPTS: Readonly<Record<string, readonly [sample: string, fontPackage: string]>> = {
  Latin: ['A', 'fonts-liberation'],
  Cyrillic: ['Ж', 'fonts-liberation'],
  Greek: ['Ω', 'fonts-liberation'],
  Arabic: ['ع', 'fonts-noto-core'],
  Hebrew: ['ש', 'fonts-noto-core'],
  Devanagari: ['अ', 'fonts-noto-core'],
  Bengali: ['অ', 'fonts-noto-core'],
  Tamil: ['அ', 'fonts-noto-core'],
  Thai: ['ก', 'fonts-noto-core'],
  Chinese: ['漢', 'fonts-noto-cjk'],
  Japanese: ['あ', 'fonts-noto-cjk'],
  Korean: ['한', 'fonts-noto-cjk'],
  emoji: ['🫠', 'fonts-noto-color-emoji'],
};

/** Returns the scripts for which the browser finds no font. Their text is rendered as boxes, or not at all. */
async function findMissingScripts(pool: PagePool, signal: AbortSignal): Promise<string[]> {
  const { page, release } = await pool.lease(NOWHERE, signal);
  try {
    const samples = Object.entries(SCRIPTS).map(([script, [sample]]) => [script, sample] as const);
    return await page.evaluate(missingScripts, Object.fromEntries(samples));
  } finally {
    release();
  }
}

/** Logs the scripts for which this machine has no font. */
export async function warnOfMissingScripts(pool: PagePool, log: Logger): Promise<void> {
  const missing = await findMissingScripts(pool, AbortSignal.timeout(LIMIT_MS));
  if (missing.length > 0) log.warn({ scripts: missing }, describeMissing(missing));
}

/** Returns the log message, with the packages to install. */
export function describeMissing(scripts: readonly string[]): string {
  const packages = new Set(scripts.flatMap((script) => SCRIPTS[script]?.[1] ?? []));
  return (
    `no font on this machine for ${scripts.join(', ')}: such text will be unreadable; ` +
    `install fonts for them (on Debian and Ubuntu: apt-get install ${[...packages].join(' ')})`
  );
}
