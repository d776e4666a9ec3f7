import { adoptStyleSheet } from '../../../core/steps/in-page/adopt-style-sheet.ts';
import { attribute, nameOf, read } from '../../../core/steps/in-page/nodes.ts';
import { everywhere } from '../../../core/steps/in-page/roots-of.ts';

/** Names of elements that CSS rules can match. */
interface Names {
  readonly classes: readonly string[];
  readonly ids: readonly string[];
  /** Links as written in the markup. */
  readonly links: readonly string[];
}

/** Adds CSS rules like `adoptStyleSheet`, and returns the names of the page for further rules. Runs in the page. */
export function hideAndName(css: string): Names {
  if (css !== '') adoptStyleSheet(css);
  return namesOfPage();
}

/**
 * Returns the distinct classes, ids and links of all trees of a page, limited in number and length, because a page may
 * have any number. Checking the maximum against the lists takes 15 ms (2026-11-22).
 */
function namesOfPage(): Names {
  const MAX_NAMES = 5_000;
  const MAX_NAME_LENGTH = 64;
  const MAX_LINKS = 2_000;
  const MAX_LINK_LENGTH = 100;
  const [classes, ids, links] = [new Set<string>(), new Set<string>(), new Set<string>()];
  const add = (names: Set<string>, name: string): void => {
    if (name !== '' && name.length <= MAX_NAME_LENGTH && names.size < MAX_NAMES) names.add(name);
  };
  for (const element of everywhere('[class], [id], a[href]')) {
    for (const name of read(Element.prototype, element, 'classList')) add(classes, name);
    add(ids, attribute(element, 'id') ?? '');
    const link = nameOf(element) === 'a' ? attribute(element, 'href') : null;
    if (link !== null && links.size < MAX_LINKS) links.add(link.slice(0, MAX_LINK_LENGTH));
  }
  return { classes: [...classes], ids: [...ids], links: [...links] };
}
