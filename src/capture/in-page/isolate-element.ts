/**
 * Leaves only the first match on the page, with its ancestors' styles but without their margins, for a printout of it alone.
 * False when there is no visible match. Runs in the page.
 */
export function isolateElement(selector: string): boolean {
  const element = document.querySelector(selector);
  if (!(element instanceof Element) || !element.checkVisibility({ visibilityProperty: true })) return false;
  const { width, height } = element.getBoundingClientRect();
  if (width === 0 || height === 0) return false;
  let inner: Element = element;
  for (let outer = element.parentElement; outer !== null; outer = outer.parentElement) {
    for (const sibling of outer.children) {
      if (sibling === inner || sibling.localName === 'head' || !('style' in sibling)) continue;
      if (sibling.style instanceof CSSStyleDeclaration)
        sibling.style.setProperty('display', 'none', 'important');
    }
    for (const property of ['margin', 'padding', 'border'])
      outer.style.setProperty(property, '0', 'important');
    // Text beside the element is hidden by size: a text node has no style of its own.
    for (const node of outer.childNodes) if (node.nodeType === Node.TEXT_NODE) node.nodeValue = '';
    inner = outer;
  }
  return true;
}
