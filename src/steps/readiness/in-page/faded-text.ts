import type { RootsOf } from '../../in-page/roots-of.ts';

/**
 * Finds texts that are transparent now: a script or a style may show them during scrolling. True if there are any. Runs
 * in the page.
 */
export function findFadedText(rootsOf: RootsOf): boolean {
  const faintest = 0.1;
  const faded: Element[] = [];
  for (const root of rootsOf(document))
    for (const element of root.querySelectorAll('*')) {
      if (Number(getComputedStyle(element).opacity) >= faintest) continue;
      const { width, height } = Element.prototype.getBoundingClientRect.call(element);
      if (width > 0 && height > 0 && element.textContent.trim() !== '') faded.push(element);
    }
  Object.assign(globalThis, { captureFaded: faded, captureSeen: new WeakSet() });
  return faded.length > 0;
}

/**
 * Notes which of these texts are in the window and can be seen. `elementVisibility` knows them by that. Runs in the
 * page.
 */
export function noteSeenText(): void {
  const least = 0.3;
  const faded: unknown = Reflect.get(globalThis, 'captureFaded');
  const seen: unknown = Reflect.get(globalThis, 'captureSeen');
  if (!Array.isArray(faded) || !(seen instanceof WeakSet)) return;
  for (const element of faded) {
    if (!(element instanceof Element) || Number(getComputedStyle(element).opacity) < least) continue;
    const { top, bottom } = Element.prototype.getBoundingClientRect.call(element);
    if (bottom > 0 && top < innerHeight) seen.add(element);
  }
}
