import type { RootsOf } from '../../../../steps/in-page/roots-of.ts';

/**
 * Fixes elements that grow with the window. `note` records the height of each element; `pin` restores it for elements
 * that have grown since: without this, elements as high as the window would grow with the sheet. Runs in the isolated
 * world.
 */
export function pinHeights(what: 'note' | 'pin', rootsOf: RootsOf, maxElements: number): void {
  const KEY = 'heightsBefore'; // property of the isolated world's window, invisible to the page
  const known: unknown = Reflect.get(globalThis, KEY);
  const heights = known instanceof Map && what === 'pin' ? known : new Map<Element, number>();
  if (what === 'note') Reflect.set(globalThis, KEY, heights);
  let seen = 0;
  const taller: [style: CSSStyleDeclaration, height: number][] = [];
  for (const root of rootsOf(document)) {
    for (const element of root.querySelectorAll('*')) {
      if (seen++ > maxElements) return;
      if (!('style' in element) || !(element.style instanceof CSSStyleDeclaration)) continue;
      const { height } = element.getBoundingClientRect();
      if (what === 'note') heights.set(element, height);
      const before: unknown = heights.get(element);
      if (typeof before === 'number' && height > before + 1) taller.push([element.style, before]);
    }
  }
  for (const [style, height] of taller) {
    style.setProperty('box-sizing', 'border-box', 'important');
    for (const property of ['height', 'min-height', 'max-height'])
      style.setProperty(property, `${height}px`, 'important');
  }
}
