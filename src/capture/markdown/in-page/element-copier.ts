import type { ResolveAddress } from './address-resolver.ts';

/** State of an element in the page. */
interface Place {
  readonly parent: Element | null;
  /** True inside a closed `<details>`: not rendered, but not hidden either. */
  readonly isFolded: boolean;
}

/** Result of copying an element. */
interface Copied {
  /** Copy of the element. Null: its content takes its place. */
  readonly outer: Node | null;
  /** Container for the copies of its content. Null: the content is not copied. */
  readonly inner: Element | null;
  /** False if its own text is hidden. Elements inside it can still be visible. */
  readonly isTextShown: boolean;
}

type CopyElement = (element: Element, place: Place, resolve: ResolveAddress) => Copied | undefined;

/** Returns what a person can see of a text. */
export type ShownText = (text: Node, element: Element) => string;

/** Type of `elementCopier`. */
export type ElementCopier = (copy: Document, shown?: ShownText) => CopyElement;

/**
 * Creates a function that copies one visible element into a document where nothing loads or runs. It returns undefined
 * for elements that are hidden or have no text. With `shown`, it leaves out all texts that a person can't see, such as
 * those for screen readers. Copies the tag and a few attributes only, because names of form fields would shadow
 * properties (DOM clobbering). Properties of the page are read by their prototypes for the same reason. Runs in the
 * page.
 */
export function elementCopier(copy: Document, shown?: ShownText): CopyElement {
  const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));
  const skipped = words(
    'script style template head title meta link base svg canvas video audio object embed select textarea datalist progress meter map area source track param option optgroup',
  );
  const blocks = words(
    'address article aside blockquote center dd dir div dl dt fieldset figcaption figure footer h1 h2 h3 h4 h5 h6 header hgroup li main menu nav noscript ol p section table tbody td tfoot th thead tr ul caption',
  );
  const inlines = words(
    'a abbr b bdi bdo big br button cite code data del dfn em font hr i img ins kbd label mark picture q s samp small span strike strong sub sup time tt u var wbr',
  );
  const renamed = words('button font label span'); // elements without a meaning in markdown
  const framing = words('iframe frame frameset');
  const labels = shown === undefined ? ' title' : '';
  const kept =
    'class id role rel itemprop aria-hidden aria-modal dir lang align colspan rowspan start summary datatable'
      .concat(labels)
      .split(' ');
  const lazy = ['data-src', 'data-original', 'data-lazy-src', 'data-lazy'];

  const attribute = (element: Element, name: string): string | null =>
    Element.prototype.getAttribute.call(element, name);
  const property = (prototype: object, element: Node, name: string): unknown => Reflect.get(prototype, name, element);

  const visibilityOf = (element: Element, style: CSSStyleDeclaration, isFolded: boolean): 'all' | 'inner' | 'none' => {
    const { display, visibility } = style;
    if (display === 'none' || display === '') return 'none'; // an empty name: in no slot
    // Elements without a box are neither visible nor hidden themselves.
    if (!isFolded && display !== 'contents' && !Element.prototype.checkVisibility.call(element)) return 'none';
    if (style.contentVisibility === 'hidden' && attribute(element, 'hidden') !== 'until-found') return 'inner';
    return visibility === 'visible' ? 'all' : 'inner';
  };
  const make = (name: string, element?: Element): HTMLElement => {
    const made = copy.createElement(name);
    for (const each of element === undefined ? [] : kept) {
      const value = element === undefined ? null : attribute(element, each);
      if (value !== null) made.setAttribute(each, value);
    }
    return made;
  };
  const leaf = (outer: Node): Copied => ({ outer, inner: null, isTextShown: true });

  const picture = (element: Element, resolve: ResolveAddress): Copied | undefined => {
    const loaded = property(HTMLImageElement.prototype, element, 'currentSrc');
    const named = ['src', ...lazy].map((name) => attribute(element, name) ?? '');
    const [address] = [String(loaded), ...named].flatMap((text) => resolve(text, { isPicture: true }) ?? []);
    const alt = shown === undefined ? (attribute(element, 'alt') ?? '').trim() : '';
    if (address === undefined) return alt === '' ? undefined : leaf(copy.createTextNode(alt));
    const made = make('img', element);
    made.setAttribute('src', address);
    made.setAttribute('alt', alt);
    return leaf(made);
  };
  /** The visible texts in an element, without line breaks of its layout. */
  const seenText = (element: Element, isShown: ShownText): string => {
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    let text = '';
    while (walker.nextNode() !== null) {
      const { currentNode: node } = walker;
      const parent = property(Node.prototype, node, 'parentNode');
      if (parent instanceof Element) text += isShown(node, parent);
    }
    return text;
  };
  const code = (element: Element): Copied | undefined => {
    const seen = shown && seenText(element, shown);
    const whole = String(property(HTMLElement.prototype, element, 'innerText'));
    const isSame = seen?.replaceAll(/\s/g, '') === whole.replaceAll(/\s/g, '');
    const text = seen === undefined || isSame ? whole : seen;
    if (text.trim() === '') return undefined;
    const parent = element.parentElement;
    const near = [element.querySelector('code'), element, parent, parent?.parentElement].filter((each) => each != null);
    const named = near.flatMap((each) => {
      const [, language = attribute(each, 'data-lang') ?? attribute(each, 'data-language')] =
        /(?:^|\s)(?:language-|lang-|brush:\s*|highlight-(?:source|text)-)([\w+#.-]+)/.exec(
          attribute(each, 'class') ?? '',
        ) ?? [];
      return language ?? [];
    });
    const [outer, inner] = [make('pre'), make('code')];
    if (named[0] !== undefined) inner.className = `language-${named[0]}`;
    inner.append(text);
    outer.append(inner);
    return leaf(outer);
  };
  const formula = (element: Element): Copied => {
    const tex = element.querySelector('annotation[encoding="application/x-tex"]')?.textContent.trim();
    if (tex === undefined || tex === '')
      return leaf(copy.createTextNode(attribute(element, 'alttext') ?? element.textContent));
    const made = make('code');
    made.append(tex);
    return leaf(made);
  };
  /** Math libraries render formulas twice: for screen readers, and in pieces. */
  const mathOf = (element: Element, name: string): Element | null => {
    if (name === 'math') return element;
    const isDrawn = name === 'mjx-container' || /(?:^|\s)katex(?:\s|$)/.test(attribute(element, 'class') ?? '');
    return isDrawn ? element.querySelector('math') : null;
  };
  const checkbox = (element: Element): Copied | undefined => {
    if (attribute(element, 'type')?.toLowerCase() !== 'checkbox' || element.closest('li') === null) return undefined;
    const made = make('input');
    made.setAttribute('type', 'checkbox');
    if (property(HTMLInputElement.prototype, element, 'checked') === true) made.setAttribute('checked', '');
    return leaf(made);
  };
  const isInRow = (parent: Element | null): boolean => {
    if (parent === null) return false;
    const { display, flexDirection } = getComputedStyle(parent);
    return display.endsWith('flex') && flexDirection.startsWith('row');
  };

  return (element, { parent, isFolded }, resolve) => {
    const name = String(property(Element.prototype, element, 'localName'));
    const isHtml = property(Element.prototype, element, 'namespaceURI') === 'http://www.w3.org/1999/xhtml';
    if (!isHtml && name !== 'math' && (shown === undefined || element.closest('math') === null)) return undefined;
    const style = getComputedStyle(element);
    const seen = visibilityOf(element, style, isFolded);
    if (seen === 'none') return undefined;
    const isTextShown = seen === 'all';
    if (isTextShown && name === 'img') return picture(element, resolve);
    if (isTextShown && name === 'input') return checkbox(element);
    // The source of a formula can't be seen, so it may say something else than the formula.
    const math = isTextShown && shown === undefined ? mathOf(element, name) : null;
    if (math !== null) return formula(math);
    const asCode = isTextShown && name === 'pre' ? code(element) : undefined;
    if (asCode !== undefined) return asCode;
    if (name === 'br' || name === 'hr' || name === 'wbr') return isTextShown ? leaf(make(name)) : undefined;
    if (skipped.has(name) || name === 'img' || name === 'input') return undefined;
    if (style.display === 'contents' || name === 'slot' || name === 'body')
      return { outer: null, inner: null, isTextShown };

    if (blocks.has(name)) {
      const made = make(name, element);
      const { textAlign } = style;
      // Table headers are centred by default.
      const isAligned = (name === 'td' && textAlign === 'center') || textAlign === 'right';
      if ((name === 'td' || name === 'th') && isAligned) made.setAttribute('align', textAlign);
      return { outer: made, inner: made, isTextShown };
    }
    const isInline = /^(inline|ruby)/.test(style.display) && !framing.has(name);
    const isSpaced = !isInline && inlines.has(name) && isInRow(parent);
    const isBlock = !isInline && !isSpaced && (renamed.has(name) || !inlines.has(name));
    const inner = make(isBlock ? 'div' : inlines.has(name) ? name : 'span', element);
    const address = name === 'a' ? resolve(attribute(element, 'href') ?? '', { isPicture: false }) : undefined;
    if (address !== undefined) inner.setAttribute('href', address);
    const label = shown === undefined ? attribute(element, 'aria-label') : null;
    if (address !== undefined && label !== null) inner.setAttribute('aria-label', label);
    if (isInline || isBlock) return { outer: inner, inner, isTextShown };
    if (isSpaced) {
      const spaced = copy.createDocumentFragment();
      spaced.append(' ', inner, ' ');
      return { outer: spaced, inner, isTextShown };
    }
    const outer = make('div');
    outer.append(inner);
    return { outer, inner, isTextShown };
  };
}
