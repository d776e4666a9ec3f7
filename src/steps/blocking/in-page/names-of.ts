import type { RootsOf } from '../../in-page/roots-of.ts';

/** Names of elements that CSS rules can match. */
export interface Names {
  readonly classes: readonly string[];
  readonly ids: readonly string[];
  /** Links as written in the markup. */
  readonly links: readonly string[];
}

/** Type of `namesOf`. */
export type NamesOf = (rootsOf: RootsOf) => Names;

/**
 * Returns the distinct classes, ids and links of all trees of a page, limited in number and length, because a page may
 * have any number. Checking the maximum against the lists takes 15 ms (2026-11-22). Runs in the page.
 */
export function namesOf(rootsOf: RootsOf): Names {
  const MAX_NAMES = 5_000;
  const MAX_NAME_LENGTH = 64;
  const MAX_LINKS = 2_000;
  const MAX_LINK_LENGTH = 100;
  const [classes, ids, links] = [new Set<string>(), new Set<string>(), new Set<string>()];
  const add = (names: Set<string>, name: string): void => {
    if (name !== '' && name.length <= MAX_NAME_LENGTH && names.size < MAX_NAMES) names.add(name);
  };
  for (const root of rootsOf(document)) {
    for (const element of root.querySelectorAll('[class], [id], a[href]')) {
      for (const name of element.classList) add(classes, name);
      add(ids, element.getAttribute('id') ?? '');
      const link = element.localName === 'a' ? element.getAttribute('href') : null;
      if (link !== null && links.size < MAX_LINKS) links.add(link.slice(0, MAX_LINK_LENGTH));
    }
  }
  return { classes: [...classes], ids: [...ids], links: [...links] };
}
