const MOST_ELEMENTS = 100_000;

/** Opens boxes that scroll, and wraps their lines: on paper nobody scrolls, and no box breaks while it scrolls. */
export function openBoxes(body: Element): void {
  let left = MOST_ELEMENTS;
  for (const element of Array.from(body.querySelectorAll('*'))) {
    if (left-- === 0) return;
    if (!(element instanceof HTMLElement)) continue;
    const { overflowX, overflowY, whiteSpaceCollapse, textWrapMode } = getComputedStyle(element);
    const isPlain = element.localName === 'pre';
    const scrolls = [overflowX, overflowY].some((way) => way === 'auto' || way === 'scroll');
    if (!scrolls && !isPlain) continue;
    element.style.setProperty('overflow', 'visible', 'important');
    if (textWrapMode !== 'nowrap' || whiteSpaceCollapse !== 'preserve') continue;
    element.style.setProperty('white-space', 'pre-wrap', 'important');
    element.style.setProperty('overflow-wrap', 'anywhere', 'important');
  }
}
