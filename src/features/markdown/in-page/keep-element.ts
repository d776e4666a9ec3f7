import { isElement } from '../../../core/steps/in-page/nodes.ts';

/** Stores the selected element for the next script in the isolated world. Runs in the page. */
export function keepElement(element: Element): void {
  Object.assign(globalThis, { captureElement: element });
}

/** Returns the element that `keepElement` has stored. Undefined if it was removed with its document. */
export function keptElement(): Element | undefined {
  const kept: unknown = Reflect.get(globalThis, 'captureElement');
  return isElement(kept) ? kept : undefined;
}
