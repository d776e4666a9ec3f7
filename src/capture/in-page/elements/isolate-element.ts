/**
 * Leaves only this element on the page, with its ancestors' styles but without their margins, for a printout of it alone; also
 * when it is in shadow trees or in frames of the same origin. Runs in the page.
 */
export function isolateElement(element: Element): void {
  // By what they have: what is in a frame is no instance of this window's classes.
  const isStyled = (node: Node): node is HTMLElement => 'style' in node;
  const isShadow = (node: Node): node is ShadowRoot =>
    'host' in node && node.nodeType === Node.DOCUMENT_FRAGMENT_NODE;
  const isElement = (node: Node): node is Element => node.nodeType === Node.ELEMENT_NODE;

  const hideBeside = (kept: Element, parent: Node): void => {
    for (const node of parent.childNodes) {
      if (node === kept || node.nodeName === 'HEAD') continue;
      if (isStyled(node)) node.style.setProperty('display', 'none', 'important');
      else if (node.nodeType === Node.TEXT_NODE) node.nodeValue = ''; // a text node has no style of its own
    }
  };
  /** The element around: the slot that it is put in, the parent, the host of its tree or the frame of its document. */
  const around = (inner: Element, parent: Node): Element | null => {
    if (inner.assignedSlot !== null) return inner.assignedSlot;
    if (isElement(parent)) return parent;
    if (isShadow(parent)) return parent.host;
    const frame = inner.ownerDocument.defaultView?.frameElement ?? null;
    if (frame !== null && isStyled(frame))
      frame.style.setProperty('height', `${inner.scrollHeight}px`, 'important');
    return frame;
  };

  const own: unknown = Reflect.get(globalThis, 'captureOwnChange'); // whoever watches for changes of the page
  if (typeof own === 'function') own();
  let inner: Element | null = element;
  while (inner !== null && inner.parentNode !== null) {
    hideBeside(inner, inner.parentNode);
    inner = around(inner, inner.parentNode);
    if (inner === null || !isStyled(inner)) continue;
    for (const property of ['margin', 'padding', 'border'])
      inner.style.setProperty(property, '0', 'important');
  }
}
