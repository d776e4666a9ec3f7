import { all, boxOf, computed, pageScroller, parentElementOf, read, setStyles, styleOf } from '../../in-page/nodes.ts';

const MAX_ACCIDENT = 8; // pixels that a page may scroll by accident

function size(element: Element, name: 'scrollHeight' | 'clientHeight' | 'clientWidth' | 'childElementCount'): number {
  return read(Element.prototype, element, name);
}

/**
 * If a large part of the page scrolls instead of the page itself (an app shell), expands that part and its ancestors to
 * the height of their content, so that a full-page picture shows all of it. Runs in the page.
 */
export function expandScroller(): void {
  const root = pageScroller();
  if (root === null || size(root, 'scrollHeight') > innerHeight + MAX_ACCIDENT) return;
  const half = (innerWidth * innerHeight) / 2;
  const scrolls = (element: Element): boolean => {
    if (size(element, 'scrollHeight') <= size(element, 'clientHeight') + MAX_ACCIDENT) return false;
    if (size(element, 'clientWidth') * size(element, 'clientHeight') < half) return false;
    return /auto|scroll|overlay/.test(computed(element).overflowY);
  };
  // A virtual list contains only its visible items, so expanding it shows nothing more.
  const isVirtual = (element: Element): boolean => {
    const { top, bottom } = boxOf(element);
    const seen = bottom - top;
    if (size(element, 'scrollHeight') < 4 * seen) return false;
    const end = top + 3 * seen;
    return !all(element, '*').some((inner) => size(inner, 'childElementCount') === 0 && boxOf(inner).top > end);
  };
  const candidates = all(document, 'body, body *').filter((element) => scrolls(element) && !isVirtual(element));
  const [tallest = null] = candidates.toSorted((a, b) => size(b, 'scrollHeight') - size(a, 'scrollHeight'));
  for (let element: Element | null = tallest; element !== null; element = parentElementOf(element)) {
    if (styleOf(element) === undefined) continue;
    const { position } = computed(element);
    setStyles(element, { height: 'auto', 'max-height': 'none', overflow: 'visible' });
    // An element out of the flow would not expand its parent.
    if (position === 'fixed' || position === 'absolute') setStyles(element, { position: 'relative', inset: 'auto' });
  }
}
