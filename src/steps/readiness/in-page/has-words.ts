import { documentOf, isDocument, isRendered, parentElementOf, read } from '../../in-page/nodes.ts';
import { rootsOf } from '../../in-page/roots-of.ts';

/** Texts that are looked at. A page with more counts as one with words. */
const MOST_TEXTS = 2_000;

/** True if the page shows text. Runs in the page. */
export function hasWords(): boolean {
  let left = MOST_TEXTS;
  for (const root of rootsOf()) {
    const whole = isDocument(root) ? read(Document.prototype, root, 'body') : root;
    if (whole === null) continue;
    const walker = Document.prototype.createTreeWalker.call(documentOf(root), whole, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      if (left-- === 0) return true;
      if (!/\S/.test(read(Node.prototype, node, 'textContent') ?? '')) continue;
      const parent = parentElementOf(node);
      if (parent === null || isRendered(parent, { visibilityProperty: true })) return true;
    }
  }
  return false;
}
