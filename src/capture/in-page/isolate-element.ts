/**
 * Leaves only this element on the page, with its ancestors' styles but without their margins, for a printout of it alone. Runs
 * in the page.
 */
export function isolateElement(element: Element): void {
  const hide = (node: Node): void => {
    if (node instanceof HTMLElement || node instanceof SVGElement) {
      if (node.localName !== 'head') node.style.setProperty('display', 'none', 'important');
    } else if (node.nodeType === Node.TEXT_NODE) {
      node.nodeValue = ''; // a text node has no style of its own
    }
  };
  let inner: Element = element;
  for (let outer = element.parentElement; outer !== null; outer = outer.parentElement) {
    for (const node of outer.childNodes) if (node !== inner) hide(node);
    for (const property of ['margin', 'padding', 'border'])
      outer.style.setProperty(property, '0', 'important');
    inner = outer;
  }
}
