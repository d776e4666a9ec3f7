import type { Names, NamesOf } from './names-of.ts';
import type { RootsOf } from '../../in-page/roots-of.ts';
import type { AdoptStyleSheet } from '../../in-page/adopt-style-sheet.ts';

/** Lays the rules over the page, as `adoptStyleSheet`, and gives the names by which more of it may be hidden. Runs in the page. */
export function hideAndName(
  css: string,
  rootsOf: RootsOf,
  adoptStyleSheet: AdoptStyleSheet,
  namesOf: NamesOf,
): Names {
  if (css !== '') adoptStyleSheet(css, rootsOf);
  return namesOf(rootsOf);
}
