import { rootsOf } from '../../../core/steps/in-page/roots-of.ts';

/**
 * Counts elements and text lines of the page approximately, with open shadow trees and same-origin frames. Stops above
 * `most`. Runs in the page.
 */
export function countNodes(most: number): number {
  const lineLength = 100; // the tree has one node per text line
  let count = 0;
  for (const root of rootsOf()) {
    const walker = Document.prototype.createTreeWalker.call(
      document,
      root,
      NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT,
    );
    while (walker.nextNode() !== null) {
      const text: unknown = Reflect.get(Node.prototype, 'nodeValue', walker.currentNode);
      count += 1 + Math.floor((typeof text === 'string' ? text.length : 0) / lineLength);
      if (count > most) return count;
    }
  }
  return count;
}
