import { announceOwnChange, documentOf, first, isDocument, sheetsOf } from '../../../steps/in-page/nodes.ts';
import { rootsOf } from '../../../steps/in-page/roots-of.ts';

/**
 * Converts constructed style sheets of the document, frames and shadow trees to style elements, because a saved page
 * contains only those (Chromium 153). Runs in the page.
 */
export function writeOutSheets(): void {
  announceOwnChange();
  for (const root of rootsOf()) {
    const rules = [...sheetsOf(root)].flatMap(({ cssRules }) => [...cssRules].map(({ cssText }) => cssText));
    if (rules.length === 0) continue;
    // Creates the element with the namespace, because `createElement` in an XML document does not create a style
    // element.
    const namespace = 'http://www.w3.org/1999/xhtml';
    const style: Element = Document.prototype.createElementNS.call(documentOf(root), namespace, 'style');
    style.textContent = rules.join('\n');
    const parent = isDocument(root) ? (first(root, 'head') ?? first(root, ':root')) : root; // pages can remove the root
    if (parent !== null) Node.prototype.appendChild.call(parent, style);
  }
}
