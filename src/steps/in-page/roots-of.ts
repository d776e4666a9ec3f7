/** Gives the trees of a page, as `rootsOf`. */
export type RootsOf = (root: Document | ShadowRoot) => Iterable<Document | ShadowRoot>;

/**
 * The document, then what it holds in document order: open shadow trees, documents of frames of the same origin, and what those hold.
 * The one way to walk a page: whatever looks for something in it looks here. Runs in the page.
 */
export function* rootsOf(root: Document | ShadowRoot): Generator<Document | ShadowRoot> {
  yield root;
  for (const element of root.querySelectorAll('*')) {
    if (element.shadowRoot !== null) yield* rootsOf(element.shadowRoot);
    if (element.localName !== 'iframe') continue;
    const view = element.ownerDocument.defaultView;
    if (view === null || !(element instanceof view.HTMLIFrameElement)) continue;
    if (element.contentDocument !== null) yield* rootsOf(element.contentDocument); // null for another origin
  }
}
