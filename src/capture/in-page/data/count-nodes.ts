import type { RootsOf } from '../elements/roots-of.ts';

/** Elements and texts of the page, with its open shadow trees and frames of the same origin; a little more than `most` where there are more. Runs in the page. */
export function countNodes(most: number, rootsOf: RootsOf): number {
  let count = 0;
  for (const root of rootsOf(document)) {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
    while (walker.nextNode() !== null) if (++count > most) return count;
  }
  return count;
}
