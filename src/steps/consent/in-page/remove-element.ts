/**
 * Removes an element from the page with `display: none`, together with its backdrop and the scroll lock of the page. An
 * element with an id stays hidden when the page creates it again. Runs in the page.
 */
export function removeElement(element: HTMLElement): void {
  const MAX_VEILS = 5;
  const { id } = element;
  const root = element.getRootNode();
  // removes the modal state, so that the rest of the page is usable
  if (element instanceof HTMLDialogElement && element.open) element.close();
  element.style.setProperty('display', 'none', 'important');
  if (id !== '' && (root instanceof Document || root instanceof ShadowRoot)) {
    const selector = `#${CSS.escape(id)}`;
    if (root.querySelectorAll(selector).length === 1) addRule(root, `${selector} { display: none !important }`);
  }

  // Detects an empty, partly transparent element over the whole window.
  const isVeil = (over: Element): over is HTMLElement => {
    if (!(over instanceof HTMLElement) || over === document.body || over === document.documentElement) return false;
    const { position, backgroundColor, backdropFilter, opacity } = getComputedStyle(over);
    if (position !== 'fixed' && position !== 'absolute') return false;
    const { width, height } = over.getBoundingClientRect();
    if (width < innerWidth * 0.98 || height < innerHeight * 0.98) return false;
    if (over.innerText.trim() !== '' || over.querySelector('img, video, canvas, iframe, svg, object') !== null)
      return false;
    const alpha = /^rgba\(.*, ([\d.]+)\)$/.exec(backgroundColor)?.[1];
    const isClear = alpha !== undefined && Number(alpha) < 1 && Number(alpha) > 0;
    return isClear || (alpha === undefined && Number(opacity) < 1) || backdropFilter !== 'none';
  };
  for (let veils = 0; veils < MAX_VEILS; veils++) {
    const veil = document.elementsFromPoint(innerWidth / 2, innerHeight / 2).find(isVeil);
    if (veil === undefined) break;
    veil.style.setProperty('display', 'none', 'important');
  }

  const { body } = document;
  const top = document.querySelector<HTMLElement>(':root'); // pages can remove the root element
  if (body === null || top === null) return;
  const isHeld = [body, top].some((each) => getComputedStyle(each).overflowY === 'hidden');
  const isPinned = getComputedStyle(body).position === 'fixed';
  if (isPinned) body.style.setProperty('position', 'static', 'important');
  if (isPinned || (isHeld && Math.max(body.scrollHeight, top.scrollHeight) > innerHeight)) {
    for (const each of [body, top]) each.style.setProperty('overflow', 'visible', 'important');
  }

  function addRule(tree: Document | ShadowRoot, css: string): void {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
    tree.adoptedStyleSheets.push(sheet);
  }
}
