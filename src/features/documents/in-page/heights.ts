import { bodyOf, boxOf, computed, read, rootElement, styleOf } from '../../../core/steps/in-page/nodes.ts';
import { everywhere } from '../../../core/steps/in-page/roots-of.ts';

/**
 * Fixes elements that grow with the window. `note` records the height of each element; `pin` restores it for elements
 * that have grown since: without this, elements as high as the window would grow with the sheet. Runs in the isolated
 * world.
 */
export function pinHeights(what: 'note' | 'pin', maxElements: number): void {
  const KEY = 'heightsBefore'; // property of the isolated world's window, invisible to the page
  const known: unknown = Reflect.get(globalThis, KEY);
  const heights = known instanceof Map && what === 'pin' ? known : new Map<Element, number>();
  if (what === 'note') Reflect.set(globalThis, KEY, heights);
  let seen = 0;
  const taller: [style: CSSStyleDeclaration, height: number][] = [];
  for (const element of everywhere('*')) {
    if (seen++ > maxElements) return;
    const style = styleOf(element);
    if (style === undefined) continue;
    const { height } = boxOf(element);
    if (what === 'note') heights.set(element, height);
    const before: unknown = heights.get(element);
    if (typeof before === 'number' && height > before + 1) taller.push([style, before]);
  }
  for (const [style, height] of taller) {
    style.setProperty('box-sizing', 'border-box', 'important');
    for (const property of ['height', 'min-height', 'max-height'])
      style.setProperty(property, `${height}px`, 'important');
  }
}

/**
 * Returns the height of the page. The first call also starts recording the height at print, which `atPrint` returns (0
 * before printing). Runs in the isolated world.
 */
export function rootHeight(atPrint: boolean): number {
  const KEY = 'heightAtPrint'; // property of the isolated world's window, invisible to the page
  const noted: unknown = Reflect.get(globalThis, KEY);
  if (atPrint) return typeof noted === 'number' ? noted : 0;
  if (noted === undefined) {
    Reflect.set(globalThis, KEY, 0);
    addEventListener('beforeprint', () => {
      const root = rootElement();
      Reflect.set(globalThis, KEY, root === null ? 0 : read(Element.prototype, root, 'scrollHeight'));
    });
  }
  const [body, root] = [bodyOf(document), rootElement()];
  if (read(Document.prototype, document, 'compatMode') !== 'BackCompat' || !(body instanceof HTMLBodyElement))
    return root === null ? 0 : boxOf(root).height; // pages can remove the root element
  // Without a doctype, root and body are as tall as the window, so the content is measured.
  const content = new Range();
  content.selectNodeContents(body);
  const { marginBottom, paddingBottom } = computed(body);
  const end = content.getBoundingClientRect().bottom + scrollY;
  return end + Number.parseFloat(marginBottom) + Number.parseFloat(paddingBottom);
}
