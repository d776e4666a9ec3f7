import type { RootsOf } from '../../../steps/in-page/roots-of.ts';

/**
 * Elements and lines of text of the page, about, with its open shadow trees and frames of the same origin; more than `most` where there are
 * more. Runs in the page.
 */
export function countNodes(most: number, rootsOf: RootsOf): number {
  const lineLength = 100; // the tree has a node for each line
  let count = 0;
  for (const root of rootsOf(document)) {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
    while (walker.nextNode() !== null) {
      count += 1 + Math.floor((walker.currentNode.nodeValue?.length ?? 0) / lineLength);
      if (count > most) return count;
    }
  }
  return count;
}
