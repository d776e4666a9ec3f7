import { all, isShadow, nameOf, read, viewOf } from './nodes.ts';

const FRAMES: ReadonlySet<string> = new Set(['iframe', 'frame', 'object']);

/**
 * Yields the document and, in document order, its open shadow trees and the documents of its same-origin frames and
 * objects, recursively. All searches through a page use it. Runs in the page.
 */
export function* rootsOf(root: Document | ShadowRoot = document): Generator<Document | ShadowRoot> {
  // Not recursive: from 200 nested trees, each result would pass 200 generators.
  for (const open = [root]; open.length > 0;) {
    const next = open.pop();
    if (next === undefined) return;
    yield next;
    const inner = all(next, '*').flatMap((element) => innerRootOf(element) ?? []);
    open.push(...inner.toReversed());
  }
}

function innerRootOf(element: Element): Document | ShadowRoot | null {
  const shadow = read(Element.prototype, element, 'shadowRoot');
  if (shadow !== null && isShadow(shadow)) return shadow;
  return FRAMES.has(nameOf(element)) ? documentInside(element) : null;
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
