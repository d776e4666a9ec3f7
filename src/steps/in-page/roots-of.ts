import { all, isShadow, nameOf, read, viewOf } from './nodes.ts';

const FRAMES: ReadonlySet<string> = new Set(['iframe', 'frame', 'object']);

/**
 * Yields the document and, in document order, its open shadow trees and the documents of its same-origin frames and
 * objects, recursively. All searches through a page use it. Runs in the page.
 */
export function* rootsOf(root: Document | ShadowRoot = document): Generator<Document | ShadowRoot> {
  yield root;
  for (const element of all(root, '*')) {
    const shadow = read(Element.prototype, element, 'shadowRoot');
    if (shadow !== null && isShadow(shadow)) yield* rootsOf(shadow);
    const inner = FRAMES.has(nameOf(element)) ? documentInside(element) : null;
    if (inner !== null) yield* rootsOf(inner);
  }
}

/** Returns the document of a frame or object. Null for other elements, and for documents of other origins. */
export function documentInside(element: Element): Document | null {
  const view = viewOf(element);
  for (const owner of view === null ? [] : [view.HTMLIFrameElement, view.HTMLFrameElement, view.HTMLObjectElement])
    if (element instanceof owner) return read(owner.prototype, element, 'contentDocument');
  return null;
}

/** Yields all elements of the page that match, in all its trees. */
export function* everywhere<E extends Element = Element>(selector: string): Generator<E> {
  for (const root of rootsOf()) yield* all<E>(root, selector);
}
