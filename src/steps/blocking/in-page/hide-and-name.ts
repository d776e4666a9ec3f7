import type { Names, NamesOf } from './names-of.ts';
import type { RootsOf } from '../../in-page/roots-of.ts';
import type { AdoptStyleSheet } from '../../in-page/adopt-style-sheet.ts';

/** Adds CSS rules like `adoptStyleSheet`, and returns the names of the page for further rules. Runs in the page. */
export function hideAndName(css: string, rootsOf: RootsOf, adoptStyleSheet: AdoptStyleSheet, namesOf: NamesOf): Names {
  if (css !== '') adoptStyleSheet(css, rootsOf);
  return namesOf(rootsOf);
}
