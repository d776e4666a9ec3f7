/**
 * Leaves only this element on the page, to print it alone. It is moved to the top with its full height, and keeps the
 * styles that it inherits. Also works inside shadow trees and same-origin frames. Runs in the page.
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

  // Properties are read by their prototypes, because the fields of a form can have their names.
  const read = <P extends object, K extends keyof P>(prototype: P, node: Node, name: K): P[K] =>
    Reflect.get(prototype, name, node);
  /** Undefined for a node without a style attribute. */
  const styleOf = (node: Node): CSSStyleDeclaration | undefined => {
    for (const { prototype } of [HTMLElement, SVGElement, MathMLElement]) {
      try {
        return read(prototype, node, 'style');
      } catch {
        // an element of another kind
      }
    }
    return undefined;
  };
  const isShadow = (node: Node): node is ShadowRoot =>
    'host' in node && read(Node.prototype, node, 'nodeType') === Node.DOCUMENT_FRAGMENT_NODE;
  const isElement = (node: Node): node is Element => read(Node.prototype, node, 'nodeType') === Node.ELEMENT_NODE;
  const isDocument = (node: Node): node is Document => read(Node.prototype, node, 'nodeType') === Node.DOCUMENT_NODE;

  const set = (target: Element, properties: Readonly<Record<string, string>>): void => {
    for (const [name, value] of Object.entries(properties)) styleOf(target)?.setProperty(name, value, 'important');
  };
  const computed = (target: Element): CSSStyleDeclaration | undefined =>
    read(Node.prototype, target, 'ownerDocument')?.defaultView?.getComputedStyle(target);
  /** Puts a positioned element into the flow, and keeps it as the containing block of its children. */
  const inFlow = (target: Element): Readonly<Record<string, string>> =>
    /absolute|fixed|sticky/.test(computed(target)?.position ?? '') ? { position: 'relative', inset: 'auto' } : {};

  const hideBeside = (kept: Element, parent: Node): void => {
    for (const node of read(Node.prototype, parent, 'childNodes')) {
      if (node === kept || read(Node.prototype, node, 'nodeName') === 'HEAD') continue;
      const style = styleOf(node);
      if (style !== undefined) style.setProperty('display', 'none', 'important');
      // text nodes have no style
      else if (read(Node.prototype, node, 'nodeType') === Node.TEXT_NODE) node.nodeValue = '';
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
    const slot = read(Element.prototype, inner, 'assignedSlot');
    if (slot !== null) return slot;
    if (isElement(parent)) return parent;
    if (isShadow(parent)) return parent.host;
    const frame = inner.ownerDocument.defaultView?.frameElement ?? null;
    if (frame !== null) set(frame, { height: `${inner.scrollHeight}px` });
    return frame;
  };

  const own: unknown = Reflect.get(globalThis, 'captureOwnChange'); // tells `watchChanges` that this change is ours
  if (typeof own === 'function') own();
  const place = inFlow(element);
  if (Object.keys(place).length > 0) {
    const { width } = Element.prototype.getBoundingClientRect.call(element);
    set(element, { ...place, ...UNMOVED, 'box-sizing': 'border-box', width: `${width}px` });
    set(element, { 'max-height': 'none' }); // a dialog is limited to the height of the window
  }
  let inner: Element | null = element;
  while (inner !== null) {
    const parent: Node | null = read(Node.prototype, inner, 'parentNode');
    if (parent === null) break;
    hideBeside(inner, parent);
    inner = around(inner, parent);
    if (inner === null) continue;
    // A single child of a grid would move to the first cell.
    const isInGrid = computed(inner)?.display.includes('grid') === true;
    Element.prototype.setAttribute.call(inner, AROUND, '');
    set(inner, { ...inFlow(inner), ...UNMOVED, ...BARE });
    if (isInGrid) set(inner, { display: 'block' });
    if (read(Element.prototype, inner, 'localName') !== 'iframe') set(inner, UNCUT);
  }
}
