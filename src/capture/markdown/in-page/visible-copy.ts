import type { AddressResolver, ResolveAddress } from './address-resolver.ts';
import type { ElementCopier, ShownText } from './element-copier.ts';

/** Type of `visibleCopy`. */
export type VisibleCopy = typeof visibleCopy;

/** Nodes to copy, and their parent in the copy. */
interface Level {
  readonly nodes: readonly Node[];
  next: number;
  readonly parent: Element | null;
  /** The element that holds the texts. */
  readonly holder: Element | null;
  readonly into: Element;
  readonly depth: number;
  readonly isTextShown: boolean;
  readonly isFolded: boolean;
  readonly resolve: ResolveAddress;
}

/**
 * Returns a new document with the visible content of the page or of an element: open shadow trees with their slotted
 * content, and same-origin frames in their places. Nothing in it loads or runs, and scripts of the page can't see it.
 * Deep nesting is flattened, because its readers recurse. With `shown`, it has only texts that a person can see. Runs
 * in the page.
 */
export function visibleCopy(
  start: Element | null,
  elementCopier: ElementCopier,
  addressResolver: AddressResolver,
  shown?: ShownText,
): Document {
  const maxDepth = 200;
  const maxMetas = 300;
  const maxMetaLength = 100_000;
  // Reads by the prototype: form fields and pictures can have names of properties.
  const read = <P extends object, K extends keyof P>(prototype: P, node: Node, name: K): P[K] =>
    Reflect.get(prototype, name, node);
  const copy: Document = read(Document.prototype, document, 'implementation').createHTMLDocument('');
  const isElement = (node: Node): node is Element => read(Node.prototype, node, 'nodeType') === Node.ELEMENT_NODE;
  const isSlot = (element: Element, name: string): element is HTMLSlotElement =>
    name === 'slot' && Element.prototype.matches.call(element, 'slot');
  const copyElement = elementCopier(copy, shown);
  const childrenOf = (node: Node): readonly Node[] => [...read(Node.prototype, node, 'childNodes')];
  const resolverOf = (node: Node): ResolveAddress => addressResolver(read(Node.prototype, node, 'baseURI'));

  /**
   * Returns the displayed content of an element: its children, its shadow tree, the content of its slot, or the
   * document of its frame.
   */
  const contentOf = (element: Element, name: string): readonly Node[] => {
    if (isSlot(element, name)) {
      const assigned = HTMLSlotElement.prototype.assignedNodes.call(element);
      return assigned.length > 0 ? assigned : childrenOf(element);
    }
    const shadow = read(Element.prototype, element, 'shadowRoot');
    return childrenOf(shadow ?? element);
  };
  const documentOf = (element: Element, name: string): Document | null => {
    if (name === 'iframe') return read(HTMLIFrameElement.prototype, element, 'contentDocument');
    if (name === 'frame') return read(HTMLFrameElement.prototype, element, 'contentDocument');
    return null;
  };
  const bodyOf = (of: Document): Element | null => read(Document.prototype, of, 'body');

  const first = start ?? bodyOf(document) ?? read(Document.prototype, document, 'documentElement');
  const levels: Level[] = [
    {
      nodes: first === null ? [] : [first],
      next: 0,
      parent: null,
      holder: null,
      into: copy.body,
      depth: 0,
      isTextShown: true,
      isFolded: false,
      resolve: resolverOf(first ?? document),
    },
  ];
  for (let level = levels.at(-1); level !== undefined; level = levels.at(-1)) {
    const node = level.nodes[level.next++];
    if (node === undefined) {
      levels.pop();
      continue;
    }
    const type = read(Node.prototype, node, 'nodeType');
    if (type === Node.TEXT_NODE || type === Node.CDATA_SECTION_NODE) {
      if (!level.isTextShown) continue;
      const holder = level.holder;
      const text =
        shown === undefined || holder === null ? String(read(Node.prototype, node, 'nodeValue')) : shown(node, holder);
      level.into.append(text.replaceAll('\0', '\uFFFD'));
      continue;
    }
    if (!isElement(node)) continue;
    const element = node;
    const name = read(Element.prototype, element, 'localName');
    const isUnfolded =
      name === 'summary' && level.parent !== null && Element.prototype.matches.call(level.parent, 'details');
    const isFolded = level.isFolded && !isUnfolded;
    const copied = copyElement(element, { parent: level.parent, isFolded }, level.resolve);
    if (copied === undefined) continue;
    const { outer, inner, isTextShown } = copied;
    const isDeep = level.depth >= maxDepth;
    if (outer !== null && (inner === null || !isDeep)) level.into.append(outer);
    if (outer !== null && inner === null) continue;
    const framed = documentOf(element, name);
    const framedBody = framed === null ? null : bodyOf(framed);
    if ((name === 'iframe' || name === 'frame') && framedBody === null) continue;
    levels.push({
      nodes: framedBody === null ? contentOf(element, name) : [framedBody],
      next: 0,
      parent: framedBody === null ? element : null,
      holder: element,
      into: isDeep ? level.into : (inner ?? level.into),
      depth: level.depth + 1,
      isTextShown,
      isFolded: isFolded || Element.prototype.matches.call(element, 'details:not([open]), [hidden=until-found]'),
      resolve: framedBody === null ? level.resolve : resolverOf(framedBody),
    });
  }

  // The title of a page can't be seen in it. The first heading stands for it.
  const heading = copy.querySelector('h1')?.textContent.trim() ?? '';
  copy.title = shown === undefined ? read(Document.prototype, document, 'title') : heading;
  if (shown !== undefined) return copy;
  const facts = Document.prototype.querySelectorAll.call(document, 'meta[content], script[type="application/ld+json"]');
  for (const fact of [...facts].slice(0, maxMetas)) {
    const made = copy.createElement(fact.localName);
    for (const each of ['name', 'property', 'itemprop', 'content', 'type']) {
      const value = fact.getAttribute(each);
      if (value !== null && value.length <= maxMetaLength) made.setAttribute(each, value);
    }
    if (fact.textContent.length <= maxMetaLength) made.append(fact.textContent);
    copy.head.append(made);
  }
  return copy;
}
