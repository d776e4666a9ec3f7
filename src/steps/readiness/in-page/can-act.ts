import { all, first, read } from '../../in-page/nodes.ts';

/**
 * True if the page may react to being displayed or scrolled: it has scripts, or child documents that may have. Does not
 * see scripts that were injected. Runs in the page.
 */
export function canAct(): boolean {
  const handlers = '//@*[starts-with(local-name(), "on")]';
  return (
    first(document, 'script, iframe, frame, object, embed') !== null ||
    Document.prototype.evaluate.call(document, handlers, document, null, XPathResult.ANY_UNORDERED_NODE_TYPE)
      .singleNodeValue !== null ||
    all(document, '*').some((element) => read(Element.prototype, element, 'shadowRoot') !== null) ||
    // Detects a script that removed itself from the document.
    performance
      .getEntriesByType('resource')
      .some((entry) => 'initiatorType' in entry && entry.initiatorType === 'script')
  );
}
