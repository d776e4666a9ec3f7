/**
 * Focuses a field if the preceding click has not done so, and puts the caret at the end, or selects the content to
 * replace it. Returns false if the element takes no text. Runs in the page.
 */
export function focusField(element: Element, selectsAll: boolean): boolean {
  const document = element.ownerDocument;
  const focused = (): Element | null => {
    let active = document.activeElement;
    while (active?.shadowRoot?.activeElement != null) active = active.shadowRoot.activeElement;
    return active;
  };
  const takesText = (field: Element): boolean => {
    if (field.localName === 'textarea') return true;
    if (field.localName === 'input')
      return !field.matches(
        '[type=checkbox], [type=radio], [type=button], [type=submit], [type=reset], [type=image], [type=file], [type=hidden]',
      );
    return 'isContentEditable' in field && field.isContentEditable === true;
  };
  const isShadow = (node: Node): node is ShadowRoot => 'host' in node && node.nodeType === Node.DOCUMENT_FRAGMENT_NODE;
  const isWithin = (inner: Element | null): boolean => {
    for (let node: Node | null = inner; node !== null;) {
      if (node === element) return true;
      node = node.parentNode ?? (isShadow(node) ? node.host : null);
    }
    return false;
  };

  // A click may have replaced the clicked element by a field.
  if (element.isConnected && !isWithin(focused()) && 'focus' in element && typeof element.focus === 'function')
    element.focus({ preventScroll: true });
  const field = focused();
  if (field === null || !takesText(field) || (element.isConnected && !isWithin(field))) return false;
  // Both calls work in every kind of field, including email and number, which have no selection API.
  if (selectsAll) document.execCommand('selectAll');
  else document.getSelection()?.modify('move', 'forward', 'documentboundary');
  return true;
}
