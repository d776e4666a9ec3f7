// Reads nodes by the prototypes of their classes, because a field named `style` hides the style of its form, and a
// picture named `body` hides the body of its document. `clobbered.test.ts` has pages with all such names.

/** Reads a property by the prototype that has it. */
export function read<P extends object, K extends keyof P>(prototype: P, node: Node, name: K): P[K] {
  return Reflect.get(prototype, name, node);
}

/** Compares the type, because elements of frames are not instances of this window's classes. */
export function isElement(node: unknown): node is Element {
  return isNode(node) && typeOf(node) === Node.ELEMENT_NODE;
}

export function isDocument(node: Node): node is Document {
  return typeOf(node) === Node.DOCUMENT_NODE;
}

/** True for a shadow root; also for a fragment, which is never part of a page. */
export function isShadow(node: Node): node is ShadowRoot {
  return typeOf(node) === Node.DOCUMENT_FRAGMENT_NODE;
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'nodeType' in value;
}

export function typeOf(node: Node): number {
  return read(Node.prototype, node, 'nodeType');
}

export function nameOf(element: Element): string {
  return read(Element.prototype, element, 'localName');
}

export function isNamed<Name extends keyof HTMLElementTagNameMap>(
  element: Element,
  name: Name,
): element is HTMLElementTagNameMap[Name] {
  return nameOf(element) === name;
}

/** Returns all matches in a tree. */
export function all<E extends Element = Element>(root: Node, selector: string): E[] {
  return [...prototypeOf(root).querySelectorAll.call<Node, [string], NodeListOf<E>>(root, selector)];
}

/** Returns the first match in a tree. */
export function first(root: Node, selector: string): Element | null {
  return prototypeOf(root).querySelector.call<Node, [string], Element | null>(root, selector);
}

function prototypeOf(root: Node): ParentNode {
  if (isElement(root)) return Element.prototype;
  return isDocument(root) ? Document.prototype : DocumentFragment.prototype;
}

/** Returns the root element of the page. Pages can remove it. */
export function rootElement(): Element | null {
  return first(document, ':root');
}

export function bodyOf(of: Document): HTMLElement | null {
  return read(Document.prototype, of, 'body');
}

/** Returns the element that scrolls the page. */
export function pageScroller(): Element | null {
  return read(Document.prototype, document, 'scrollingElement') ?? rootElement();
}

export function attribute(element: Element, name: string): string | null {
  return Element.prototype.getAttribute.call(element, name);
}

export function setAttribute(element: Element, name: string, value: string): void {
  Element.prototype.setAttribute.call(element, name, value);
}

export function matches(element: Element, selector: string): boolean {
  return Element.prototype.matches.call(element, selector);
}

export function closest(element: Element, selector: string): Element | null {
  return Element.prototype.closest.call(element, selector);
}

/** Returns the parent in the tree: an element, a document or a shadow root. */
export function parentOf(node: Node): Node | null {
  return read(Node.prototype, node, 'parentNode');
}

export function parentElementOf(node: Node): Element | null {
  return read(Node.prototype, node, 'parentElement');
}

/** Returns the document of a node, or the document itself. */
export function documentOf(node: Node): Document {
  return isDocument(node) ? node : (read(Node.prototype, node, 'ownerDocument') ?? document);
}

/** Returns the window of a node. Null for a document without one. */
export function viewOf(node: Node): (Window & typeof globalThis) | null {
  return read(Document.prototype, documentOf(node), 'defaultView');
}

/** Returns the frame that contains the document of a node. Null in the top document, and in frames of other origins. */
export function frameOf(node: Node): Element | null {
  return viewOf(node)?.frameElement ?? null;
}

/** Returns the surrounding element as it is painted: the slot, the parent, or the host of the shadow tree. */
export function outerOf(element: Element): Element | null {
  const slot = read(Element.prototype, element, 'assignedSlot');
  const parent = parentOf(element);
  if (slot !== null || parent === null) return slot;
  if (isShadow(parent)) return read(ShadowRoot.prototype, parent, 'host');
  return isElement(parent) ? parent : null;
}

export function boxOf(element: Element): DOMRect {
  return Element.prototype.getBoundingClientRect.call(element);
}

/** Returns the boxes of an element that have an area. */
export function boxesOf(element: Element): DOMRect[] {
  return [...Element.prototype.getClientRects.call(element)].filter(({ width, height }) => width > 0 && height > 0);
}

export function isRendered(element: Element, options?: CheckVisibilityOptions): boolean {
  return Element.prototype.checkVisibility.call(element, options);
}

export function isConnected(node: Node): boolean {
  return read(Node.prototype, node, 'isConnected');
}

export function computed(element: Element, pseudo?: string): CSSStyleDeclaration {
  return (viewOf(element) ?? window).getComputedStyle(element, pseudo);
}

/** Returns the style attribute. Undefined for an element that has none. */
export function styleOf(element: Node): CSSStyleDeclaration | undefined {
  for (const { prototype } of [HTMLElement, SVGElement, MathMLElement]) {
    try {
      return read(prototype, element, 'style');
    } catch {
      // an element of another kind
    }
  }
  return undefined;
}

/** Sets styles that no rule of the page overrides. */
export function setStyles(element: Element, styles: Readonly<Record<string, string>>): void {
  const style = styleOf(element);
  for (const [name, value] of Object.entries(styles)) style?.setProperty(name, value, 'important');
}

/** Adds rules to a tree without changing its markup. Returns the sheet; undefined for a document without a window. */
export function adoptRules(root: Document | ShadowRoot, css: string): CSSStyleSheet | undefined {
  const view = viewOf(root);
  if (view === null) return undefined;
  const sheet = new view.CSSStyleSheet(); // a style sheet belongs to the document of its window
  sheet.replaceSync(css);
  sheetsOf(root).push(sheet);
  return sheet;
}

/** Returns the constructed style sheets of a tree. They can be added and removed in the list. */
export function sheetsOf(root: Document | ShadowRoot): CSSStyleSheet[] {
  return isDocument(root)
    ? read(Document.prototype, root, 'adoptedStyleSheets')
    : read(ShadowRoot.prototype, root, 'adoptedStyleSheets');
}

/** Scrolls an element to the middle of the window at once. */
export function scrollToMiddle(element: Element): void {
  Element.prototype.scrollIntoView.call(element, { block: 'center', inline: 'center', behavior: 'instant' });
}

/** Scrolls the content of an element. */
export function scrollElement(element: Element, options: ScrollToOptions): void {
  Reflect.apply(Reflect.get(Element.prototype, 'scrollTo'), element, [{ behavior: 'instant', ...options }]);
}

/** Tells `watchChanges` that the following changes are ours. */
export function announceOwnChange(): void {
  const own: unknown = Reflect.get(globalThis, 'captureOwnChange');
  if (typeof own === 'function') own();
}
