/**
 * Leaves only this element on the page, to print it alone. It is moved to the top with its full height, and keeps the styles that it
 * inherits. Also works inside shadow trees and same-origin frames. Runs in the page.
 */
export function isolateElement(element: Element): void {
  const AROUND = 'capture-around'; // pseudo-elements have no style attribute
  const NO_PSEUDO_ELEMENTS = `[${AROUND}]::before, [${AROUND}]::after, ::backdrop { display: none !important; }`;
  const UNMOVED = { transform: 'none', translate: 'none', rotate: 'none', scale: 'none', margin: '0' };
  const BARE = { padding: '0', border: '0' };
  const UNCUT = {
    height: 'auto',
    'min-height': '0',
    'max-height': 'none',
    overflow: 'visible',
    'clip-path': 'none',
    contain: 'none',
  };

  // Checks for the property, because elements of frames are not instances of this window's classes.
  const isStyled = (node: Node): node is HTMLElement => 'style' in node;
  const isShadow = (node: Node): node is ShadowRoot =>
    'host' in node && node.nodeType === Node.DOCUMENT_FRAGMENT_NODE;
  const isElement = (node: Node): node is Element => node.nodeType === Node.ELEMENT_NODE;
  const isDocument = (node: Node): node is Document => node.nodeType === Node.DOCUMENT_NODE;

  const set = ({ style }: HTMLElement, properties: Readonly<Record<string, string>>): void => {
    for (const [name, value] of Object.entries(properties)) style.setProperty(name, value, 'important');
  };
  const computed = (any: Element): CSSStyleDeclaration | undefined =>
    any.ownerDocument.defaultView?.getComputedStyle(any);
  /** Puts a positioned element into the flow, and keeps it as the containing block of its children. */
  const inFlow = (any: Element): Readonly<Record<string, string>> =>
    /absolute|fixed|sticky/.test(computed(any)?.position ?? '')
      ? { position: 'relative', inset: 'auto' }
      : {};

  const hideBeside = (kept: Element, parent: Node): void => {
    for (const node of parent.childNodes) {
      if (node === kept || node.nodeName === 'HEAD') continue;
      if (isStyled(node)) node.style.setProperty('display', 'none', 'important');
      else if (node.nodeType === Node.TEXT_NODE) node.nodeValue = ''; // text nodes have no style
    }
    if (!isShadow(parent) && !isDocument(parent)) return;
    const view = (isDocument(parent) ? parent : parent.ownerDocument).defaultView;
    if (view === null) return;
    const sheet = new view.CSSStyleSheet(); // a style sheet belongs to the document of its window
    sheet.replaceSync(NO_PSEUDO_ELEMENTS);
    parent.adoptedStyleSheets.push(sheet);
  };
  /** Returns the surrounding element: the slot, the parent, the host of a shadow tree, or the frame of a document. */
  const around = (inner: Element, parent: Node): Element | null => {
    if (inner.assignedSlot !== null) return inner.assignedSlot;
    if (isElement(parent)) return parent;
    if (isShadow(parent)) return parent.host;
    const frame = inner.ownerDocument.defaultView?.frameElement ?? null;
    if (frame !== null && isStyled(frame)) set(frame, { height: `${inner.scrollHeight}px` });
    return frame;
  };

  const own: unknown = Reflect.get(globalThis, 'captureOwnChange'); // tells `watchChanges` that this change is ours
  if (typeof own === 'function') own();
  const place = inFlow(element);
  if (isStyled(element) && Object.keys(place).length > 0) {
    const { width } = element.getBoundingClientRect();
    set(element, { ...place, ...UNMOVED, 'box-sizing': 'border-box', width: `${width}px` });
    set(element, { 'max-height': 'none' }); // a dialog is limited to the height of the window
  }
  let inner: Element | null = element;
  while (inner !== null && inner.parentNode !== null) {
    hideBeside(inner, inner.parentNode);
    inner = around(inner, inner.parentNode);
    if (inner === null || !isStyled(inner)) continue;
    // A single child of a grid would move to the first cell.
    const isInGrid = computed(inner)?.display.includes('grid') === true;
    inner.setAttribute(AROUND, '');
    set(inner, { ...inFlow(inner), ...UNMOVED, ...BARE });
    if (isInGrid) set(inner, { display: 'block' });
    if (inner.localName !== 'iframe') set(inner, UNCUT);
  }
}
