/** Type of `rootsOf`. */
export type RootsOf = (root: Document | ShadowRoot) => Iterable<Document | ShadowRoot>;

/**
 * Yields the document and, in document order, its open shadow trees and the documents of its same-origin frames and
 * objects, recursively. All searches through a page use it. Runs in the page.
 */
export function* rootsOf(root: Document | ShadowRoot): Generator<Document | ShadowRoot> {
  yield root;
  for (const element of root.querySelectorAll('*')) {
    // In a form, an input with the name `shadowRoot` hides the property.
    if (element.shadowRoot?.nodeType === Node.DOCUMENT_FRAGMENT_NODE) yield* rootsOf(element.shadowRoot);
    if (!['iframe', 'frame', 'object'].includes(element.localName)) continue;
    const view = element.ownerDocument.defaultView;
    if (view === null) continue;
    const { HTMLIFrameElement, HTMLFrameElement, HTMLObjectElement } = view;
    if (
      element instanceof HTMLIFrameElement ||
      element instanceof HTMLFrameElement ||
      element instanceof HTMLObjectElement
    ) {
      if (element.contentDocument !== null) yield* rootsOf(element.contentDocument); // null for cross-origin frames
    }
  }
}
