import { all, nameOf, read } from '../../../in-page/nodes.ts';
import { documentInside } from '../../../in-page/roots-of.ts';

/** Yields the elements that are painted inside an element: also those of slots, shadow trees and same-origin frames. */
export function* insideOf(element: Element): Generator<Element> {
  // Not recursive: a script can nest elements without end.
  const left = [...childrenOf(element)].toReversed();
  for (let inner = left.pop(); inner !== undefined; inner = left.pop()) {
    yield inner;
    for (const child of [...childrenOf(inner)].toReversed()) left.push(child);
  }
}

function childrenOf(element: Element): Iterable<Element> {
  const framed = documentInside(element);
  if (framed !== null) return all(framed, ':root');
  const shadow = read(Element.prototype, element, 'shadowRoot');
  if (shadow !== null) return read(DocumentFragment.prototype, shadow, 'children');
  const slotted = nameOf(element) === 'slot' ? HTMLSlotElement.prototype.assignedElements.call(element) : [];
  return slotted.length > 0 ? slotted : read(Element.prototype, element, 'children');
}
