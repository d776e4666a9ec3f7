import { boxOf, computed, isElement, read } from '../../in-page/nodes.ts';
import { everywhere } from '../../in-page/roots-of.ts';

/**
 * Finds texts that are transparent now: a script or a style may show them during scrolling. True if there are any. Runs
 * in the page.
 */
export function findFadedText(): boolean {
  const faintest = 0.1;
  const faded: Element[] = [];
  for (const element of everywhere('*')) {
    if (Number(computed(element).opacity) >= faintest) continue;
    const { width, height } = boxOf(element);
    const text = read(Node.prototype, element, 'textContent') ?? '';
    if (width > 0 && height > 0 && text.trim() !== '') faded.push(element);
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
    if (!isElement(element) || Number(computed(element).opacity) < least) continue;
    const { top, bottom } = boxOf(element);
    if (bottom > 0 && top < innerHeight) seen.add(element);
  }
}
