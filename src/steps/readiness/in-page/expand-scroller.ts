/**
 * If a large part of the page scrolls instead of the page itself (an app shell), expands that part and its ancestors to
 * the height of their content, so that a full-page picture shows all of it. Runs in the page.
 */
export function expandScroller(): void {
  const root = document.scrollingElement ?? document.querySelector(':root'); // pages can remove the root element
  const hasRoom = 8; // pixels that a page may scroll by accident
  if (root === null || root.scrollHeight > innerHeight + hasRoom) return;
  const half = (innerWidth * innerHeight) / 2;
  const scrolls = (element: Element): boolean => {
    if (element.scrollHeight <= element.clientHeight + hasRoom) return false;
    if (element.clientWidth * element.clientHeight < half) return false;
    return /auto|scroll|overlay/.test(getComputedStyle(element).overflowY);
  };
  // A virtual list contains only its visible items, so expanding it shows nothing more.
  const isVirtual = (element: Element): boolean => {
    const { top, bottom } = element.getBoundingClientRect();
    const seen = bottom - top;
    if (element.scrollHeight < 4 * seen) return false;
    const end = top + 3 * seen;
    const lies = (inner: Element): boolean => inner.childElementCount === 0 && inner.getBoundingClientRect().top > end;
    return ![...element.querySelectorAll('*')].some(lies);
  };
  const candidates = [...document.querySelectorAll('body, body *')].filter(
    (element) => scrolls(element) && !isVirtual(element),
  );
  const tallest = candidates.toSorted((a, b) => b.scrollHeight - a.scrollHeight)[0];
  for (let element = tallest; element !== undefined && element !== null; element = element.parentElement ?? undefined) {
    if (!(element instanceof HTMLElement)) continue;
    const { style } = element;
    const { position } = getComputedStyle(element);
    style.setProperty('height', 'auto', 'important');
    style.setProperty('max-height', 'none', 'important');
    style.setProperty('overflow', 'visible', 'important');
    // An element out of the flow would not expand its parent.
    if (position === 'fixed' || position === 'absolute') {
      style.setProperty('position', 'relative', 'important');
      style.setProperty('inset', 'auto', 'important');
    }
  }
}
