import {
  documentOf,
  isConnected,
  isShadow,
  matches,
  nameOf,
  parentOf,
  read,
} from '../../../core/steps/in-page/nodes.ts';

/**
 * Focuses a field if the preceding click has not done so, and puts the caret at the end, or selects the content to
 * replace it. Returns false if the element takes no text. Runs in the page.
 */
export function focusField(element: Element, selectsAll: boolean): boolean {
  const of = documentOf(element);
  const focused = (): Element | null => {
    let active = read(Document.prototype, of, 'activeElement');
    while (active !== null) {
      const inner = read(Element.prototype, active, 'shadowRoot')?.activeElement ?? null;
      if (inner === null) break;
      active = inner;
    }
    return active;
  };
  const isWithin = (inner: Element | null): boolean => {
    for (let node: Node | null = inner; node !== null;) {
      if (node === element) return true;
      node = parentOf(node) ?? (isShadow(node) ? node.host : null);
    }
    return false;
  };

  // A click may have replaced the clicked element by a field.
  if (isConnected(element) && !isWithin(focused()) && 'focus' in element)
    HTMLElement.prototype.focus.call(element, { preventScroll: true });
  const field = focused();
  if (field === null || !takesText(field) || (isConnected(element) && !isWithin(field))) return false;
  // Both calls work in every kind of field, including email and number, which have no selection API.
  if (selectsAll) Document.prototype.execCommand.call(of, 'selectAll');
  else Document.prototype.getSelection.call(of)?.modify('move', 'forward', 'documentboundary');
  return true;
}

function takesText(field: Element): boolean {
  if (nameOf(field) === 'textarea') return true;
  if (nameOf(field) === 'input')
    return !matches(
      field,
      '[type=checkbox], [type=radio], [type=button], [type=submit], [type=reset], [type=image], [type=file], [type=hidden]',
    );
  return 'isContentEditable' in field && Reflect.get(HTMLElement.prototype, 'isContentEditable', field);
}
