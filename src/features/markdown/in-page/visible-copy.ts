import {
  all,
  bodyOf,
  closest,
  computed,
  documentOf,
  isElement,
  matches,
  nameOf,
  read,
  rootElement,
  typeOf,
} from '../../../core/steps/in-page/nodes.ts';
import { addressResolver, type ResolveAddress } from './address-resolver.ts';
import { showPage } from './show-page.ts';
import { GeneratedTexts } from './generated-text.ts';
import { type CopyOptions, ElementCopier, type ShownText } from './element-copier.ts';

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
  /** Text that a style sheet writes after the nodes. */
  readonly after: string;
}

const MAX_DEPTH = 200;
const LETTERS = /\p{L}{2}/u;
/** Marks where a word may break. */
const UNSEEN = /[\u00AD\u200B\u2060\uFEFF]/g;
const MAX_METAS = 300;
const MAX_META_LENGTH = 100_000;

/**
 * Returns a new document with the visible content of the page or of elements: open shadow trees with their slotted
 * content, and same-origin frames in their places. Nothing in it loads or runs, and scripts of the page can't see it.
 * Deep nesting is flattened, because its readers recurse. With `shown`, it has only texts that a person can see. Runs
 * in the page.
 */
export function visibleCopy(start: readonly Element[] | null, options: CopyOptions): Document {
  const close = start === null ? showPage() : undefined;
  try {
    return copyOf(start, options);
  } finally {
    close?.();
  }
}

function copyOf(start: readonly Element[] | null, options: CopyOptions): Document {
  const { shown } = options;
  const copy = read(Document.prototype, document, 'implementation').createHTMLDocument('');
  const copier = new ElementCopier(copy, options);
  const generated = new GeneratedTexts();
  const root = rootElement();
  if (root !== null) generated.of(root, computed(root), -1); // its counters
  const first = start ?? [bodyOf(document) ?? root].filter((element) => element !== null);
  const levels = first.map((element) => firstLevel(element, copy)).toReversed(); // the last one is copied first
  for (let level = levels.at(-1); level !== undefined; level = levels.at(-1)) {
    const node = level.nodes[level.next++];
    if (node === undefined) {
      level.into.append(level.after);
      levels.pop();
    } else if (isElement(node)) {
      const inner = copyElement(node, level, { copier, generated, isVisible: shown !== undefined });
      if (inner !== undefined) levels.push(inner);
    } else copyText(node, level, shown);
  }
  // The title of a page can't be seen in it. The first heading stands for it.
  if (shown !== undefined) copy.title = copy.querySelector('h1')?.textContent.trim() ?? '';
  else {
    copy.title = read(Document.prototype, document, 'title');
    copyFacts(copy);
  }
  return copy;
}

function firstLevel(first: Element, copy: Document): Level {
  return {
    nodes: [first],
    next: 0,
    parent: null,
    holder: null,
    into: copy.body,
    depth: 0,
    isTextShown: true,
    isFolded: false,
    resolve: resolverOf(first),
    after: '',
  };
}

function resolverOf(node: Node): ResolveAddress {
  return addressResolver(read(Node.prototype, node, 'baseURI'));
}

function copyText(node: Node, { isTextShown, holder, into }: Level, shown: ShownText | undefined): void {
  const isText = typeOf(node) === Node.TEXT_NODE || typeOf(node) === Node.CDATA_SECTION_NODE;
  if (!isText || !isTextShown) return;
  const text =
    shown === undefined || holder === null ? String(read(Node.prototype, node, 'nodeValue')) : shown(node, holder);
  const written = text.replaceAll('\0', '\uFFFD').replaceAll(UNSEEN, '');
  const keepsLines = written.includes('\n') && holder !== null && isPreformatted(holder) && written.trim() !== '';
  for (const [index, line] of (keepsLines ? written.split('\n') : [written]).entries()) {
    if (index > 0) into.append(documentOf(into).createElement('br'));
    into.append(line);
  }
}

/** True if the lines of a text are those of its source, as in chats. Code has rules of its own. */
function isPreformatted(element: Element): boolean {
  return closest(element, 'code, kbd, samp') === null && /^(?:pre|break-spaces)/.test(computed(element).whiteSpace);
}

interface Copying {
  readonly copier: ElementCopier;
  readonly generated: GeneratedTexts;
  /** True for what a person can see only. Whether generated words can be seen is not known; numbers say nothing. */
  readonly isVisible: boolean;
}

/** Copies an element without its content. Returns the level of its content; undefined if that is not copied. */
function copyElement(element: Element, level: Level, { copier, generated, isVisible }: Copying): Level | undefined {
  const name = nameOf(element);
  const isUnfolded = name === 'summary' && level.parent !== null && matches(level.parent, 'details');
  const isFolded = level.isFolded && !isUnfolded;
  const copied = copier.copy(element, { parent: level.parent, isFolded }, level.resolve);
  if (copied === undefined) return undefined;
  const { outer, inner, isTextShown } = copied;
  const isDeep = level.depth >= MAX_DEPTH;
  if (outer !== null && (inner === null || !isDeep)) level.into.append(outer);
  if (outer !== null && inner === null) return undefined;
  const isFrame = name === 'iframe' || name === 'frame';
  const framedBody = isFrame ? bodyInside(element, name) : null;
  if (isFrame && framedBody === null) return undefined;
  const { before, after } = generated.of(element, computed(element), level.depth);
  const into = isDeep ? level.into : (inner ?? level.into);
  const isShown = (text: string): boolean => isTextShown && (!isVisible || !LETTERS.test(text));
  if (isShown(before)) into.append(before);
  return {
    nodes: framedBody === null ? contentOf(element, name) : [framedBody],
    next: 0,
    parent: framedBody === null ? element : null,
    holder: element,
    into,
    after: isShown(after) ? after : '',
    depth: level.depth + 1,
    isTextShown,
    isFolded: isFolded || matches(element, 'details:not([open]), [hidden=until-found]'),
    resolve: framedBody === null ? level.resolve : resolverOf(framedBody),
  };
}

/** Returns the displayed content of an element: its children, its shadow tree, or the content of its slot. */
function contentOf(element: Element, name: string): readonly Node[] {
  if (name === 'slot' && matches(element, 'slot')) {
    const assigned = HTMLSlotElement.prototype.assignedNodes.call(element);
    return assigned.length > 0 ? assigned : childrenOf(element);
  }
  return childrenOf(read(Element.prototype, element, 'shadowRoot') ?? element);
}

function bodyInside(frame: Element, name: 'iframe' | 'frame'): Element | null {
  const owner = name === 'iframe' ? HTMLIFrameElement.prototype : HTMLFrameElement.prototype;
  const inner: Document | null = Reflect.get(owner, 'contentDocument', frame);
  return inner === null ? null : bodyOf(documentOf(inner));
}

/** Copies the facts about the page that its head has. */
function copyFacts(copy: Document): void {
  const facts = all(document, 'meta[content], script[type="application/ld+json"]');
  for (const fact of facts.slice(0, MAX_METAS)) {
    const made = copy.createElement(fact.localName);
    for (const each of ['name', 'property', 'itemprop', 'content', 'type']) {
      const value = fact.getAttribute(each);
      if (value !== null && value.length <= MAX_META_LENGTH) made.setAttribute(each, value);
    }
    if (fact.textContent.length <= MAX_META_LENGTH) made.append(fact.textContent);
    copy.head.append(made);
  }
}

function childrenOf(node: Node): readonly Node[] {
  return [...read(Node.prototype, node, 'childNodes')];
}
