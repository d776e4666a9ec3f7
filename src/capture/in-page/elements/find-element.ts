/**
 * The first match in the document, then in open shadow roots, then in frames of the same origin; each in document order. Null
 * when there is none. Runs in the page.
 */
export function findElement(selector: string): Element | null {
  const search = (root: Document | ShadowRoot): Element | null => {
    const direct = root.querySelector(selector);
    if (direct !== null) return direct;
    for (const element of root.querySelectorAll('*')) {
      const inner =
        element.shadowRoot ?? (element instanceof HTMLIFrameElement ? element.contentDocument : null);
      const found = inner === null ? null : search(inner);
      if (found !== null) return found;
    }
    return null;
  };
  return search(document);
}
