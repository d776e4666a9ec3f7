import type { PagePool } from '../browser/page-pool.ts';
import { NOWHERE } from '../egress/destination.ts';
import { missingScripts } from './in-page/missing-scripts.ts';

/** One character for each script that pages commonly use. */
const SAMPLES = {
  Latin: 'A',
  Cyrillic: 'Ж',
  Greek: 'Ω',
  Arabic: 'ع',
  Hebrew: 'ש',
  Devanagari: 'अ',
  Bengali: 'অ',
  Tamil: 'அ',
  Thai: 'ก',
  Chinese: '漢',
  Japanese: 'あ',
  Korean: '한',
  emoji: '😀',
};

/** The scripts for which the browser finds no font: their text comes out as boxes, or not at all. */
export async function findMissingScripts(pool: PagePool, signal: AbortSignal): Promise<string[]> {
  const { page, release } = await pool.lease(NOWHERE, signal);
  try {
    return await page.evaluate(missingScripts, SAMPLES);
  } finally {
    release();
  }
}
