import {
  attribute,
  closest,
  computed,
  isElement,
  isRendered,
  nameOf,
  parentOf,
  read,
  setAttribute,
} from '../../../core/steps/in-page/nodes.ts';
import type { ResolveAddress } from './address-resolver.ts';
import { codeText, isCodeBlock, isFurnitureOfCode, languageOf } from './code-text.ts';
import { type Formula, formulaOf, isFormulaPreview } from './formula.ts';
import { hasGap } from './gaps.ts';
import { drawingCopy } from './drawn-words.ts';
import { meaningOf } from './meaning.ts';
import { pictureAddresses } from './picture-address.ts';

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

/** Returns what a person can see of a text. */
export type ShownText = (text: Node, element: Element) => string;

/** Copies pictures, their alternative text alone, or neither. */
export type Pictures = 'keep' | 'alt' | 'none';

export interface CopyOptions {
  /** Leaves out texts that a person can't see. */
  readonly shown?: ShownText | undefined;
  readonly pictures?: Pictures;
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));
const SKIPPED = words(
  'script style template head title meta link base svg canvas video audio object embed select textarea datalist progress meter map area source track param option optgroup',
);
/** Elements that begin and end a line. */
export const BLOCKS = words(
  'address article aside blockquote center dd dir div dl dt fieldset figcaption figure footer h1 h2 h3 h4 h5 h6 header hgroup li main menu nav noscript ol p section table tbody td tfoot th thead tr ul caption',
);
const INLINES = words(
  'a abbr b bdi bdo big br button cite code data del dfn em font hr i img ins kbd label mark picture q rp rt ruby s samp small span strike strong sub sup time tt u var wbr',
);
const RENAMED = words('button font label span'); // elements without a meaning in markdown
/** Classes of formulas in TeX in the copy. */
export const FORMULA = 'capture-formula';
export const FORMULA_BLOCK = 'capture-formula-block';
/** Class of a box of a task list in the copy. */
export const TASK_BOX = 'capture-task';
const FRAMING = words('iframe frame frameset');
const KEPT =
  'class id role rel itemprop aria-hidden aria-modal dir lang align colspan rowspan start value reversed summary datatable'.split(
    ' ',
  );

/**
 * Copies visible elements, one at a time, into a document where nothing loads or runs. With `shown`, it leaves out all
 * texts that a person can't see, such as those for screen readers. Copies the tag and a few attributes only, because
 * names of form fields would shadow properties (DOM clobbering). Runs in the page.
 */
export class ElementCopier {
  readonly #copy: Document;
  readonly #shown: ShownText | undefined;
  readonly #pictures: Pictures;

  constructor(copy: Document, { shown, pictures = 'keep' }: CopyOptions) {
    this.#copy = copy;
    this.#shown = shown;
    this.#pictures = pictures;
  }

  /** Returns undefined for an element that is hidden or has no text. */
  copy(element: Element, { parent, isFolded }: Place, resolve: ResolveAddress): Copied | undefined {
    const isHtml = read(Element.prototype, element, 'namespaceURI') === 'http://www.w3.org/1999/xhtml';
    const isSeenFormula = this.#shown !== undefined && closest(element, 'math') !== null;
    const isDrawing = this.#shown === undefined && nameOf(element) === 'svg';
    if (!isHtml && !isDrawing && nameOf(element) !== 'math' && !isSeenFormula) return undefined;
    const style = computed(element);
    const name = meaningOf(element, nameOf(element), style);
    const seen = visibilityOf(element, style, isFolded);
    if (seen === 'none') return undefined;
    const isTextShown = seen === 'all';
    const leaf = isTextShown ? this.#leafOf(element, { name, style, resolve }) : undefined;
    if (leaf !== undefined) return leaf;
    if (/^(?:br|hr|wbr|img|input)$/.test(name) || SKIPPED.has(name)) return undefined;
    if (style.display === 'contents' || name === 'slot' || name === 'body')
      return { outer: null, inner: null, isTextShown };
    if (isFurnitureOfCode(element, name) || (this.#shown === undefined && isFormulaPreview(element))) return undefined;
    if (BLOCKS.has(name)) return { ...this.#block(element, name, style), isTextShown };
    return { ...this.#inline(element, { name, style, parent, resolve }), isTextShown };
  }

  /** Returns the copy of an element that is copied as a whole. */
  #leafOf(element: Element, { name, style, resolve }: Omit<InlineElement, 'parent'>): Copied | undefined {
    if (name === 'img') return this.#picture(element, resolve);
    if (name === 'input') return this.#checkbox(element);
    if (name === 'svg') return leafOrNothing(drawingCopy(element, this.#copy));
    // The source of a formula can't be seen, so it may say something else than the formula.
    const formula = this.#shown === undefined ? formulaOf(element) : undefined;
    if (formula !== undefined) return this.#formula(formula);
    if (name === 'pre' || isCodeBlock(element, style)) return this.#code(element);
    return /^(?:br|hr|wbr)$/.test(name) ? leafWith(this.#make(name)) : undefined;
  }

  #make(name: string, element?: Element): HTMLElement {
    const made = this.#copy.createElement(name);
    if (element === undefined) return made;
    for (const each of this.#shown === undefined ? [...KEPT, 'title'] : KEPT) {
      const value = attribute(element, each);
      if (value !== null) made.setAttribute(each, value);
    }
    return made;
  }

  #picture(element: Element, resolve: ResolveAddress): Copied | undefined {
    if (this.#pictures === 'none') return undefined;
    const [address] =
      this.#pictures === 'alt'
        ? []
        : pictureAddresses(element).flatMap((text) => resolve(text, { isPicture: true }) ?? []);
    const alt = this.#shown === undefined ? (attribute(element, 'alt') ?? '').trim() : '';
    if (address === undefined) return alt === '' ? undefined : leafWith(this.#copy.createTextNode(alt));
    const made = this.#make('img', element);
    made.setAttribute('src', address);
    made.setAttribute('alt', alt);
    return leafWith(made);
  }

  #code(element: Element): Copied | undefined {
    const seen = this.#shown && seenText(element, this.#shown);
    const whole = codeText(element);
    const isSame = seen?.replaceAll(/\s/g, '') === whole.replaceAll(/\s/g, '');
    const text = seen === undefined || isSame ? whole : seen;
    if (text.trim() === '') return undefined;
    const language = languageOf(element);
    const [outer, inner] = [this.#make('pre'), this.#make('code')];
    if (language !== undefined) inner.className = `language-${language}`;
    inner.append(text);
    outer.append(inner);
    return leafWith(outer);
  }

  #formula({ tex, text, isBlock }: Formula): Copied {
    const made = this.#make(isBlock ? 'div' : 'span');
    if (tex !== undefined) made.className = isBlock ? FORMULA_BLOCK : FORMULA;
    made.append(tex ?? text);
    return leafWith(made);
  }

  #checkbox(element: Element): Copied | undefined {
    const isBox = attribute(element, 'type')?.toLowerCase() === 'checkbox';
    if (!isBox || closest(element, 'li') === null) return undefined;
    const made = this.#make('span'); // Readability removes fields
    made.className = TASK_BOX;
    made.append(Reflect.get(HTMLInputElement.prototype, 'checked', element) ? '[x]' : '[ ]');
    return leafWith(made);
  }

  #block(element: Element, name: string, { textAlign }: CSSStyleDeclaration): Pick<Copied, 'outer' | 'inner'> {
    const made = this.#make(name, element);
    // Table headers are centred by default.
    const isAligned = (name === 'td' && textAlign === 'center') || textAlign === 'right';
    if ((name === 'td' || name === 'th') && isAligned) made.setAttribute('align', textAlign);
    return { outer: made, inner: made };
  }

  #inline(element: Element, { name, style, parent, resolve }: InlineElement): Pick<Copied, 'outer' | 'inner'> {
    const isInline = /^(inline|ruby)/.test(style.display) && !FRAMING.has(name);
    const isInItsRow = !isInline && INLINES.has(name) && isInRow(parent);
    const isBlock = !isInline && !isInItsRow && (RENAMED.has(name) || !INLINES.has(name));
    const inner = this.#make(isBlock ? 'div' : INLINES.has(name) && name !== 'button' ? name : 'span', element);
    if (name === 'form' || name === 'button') inner.setAttribute('role', name); // the name is lost
    const address = name === 'a' ? resolve(attribute(element, 'href') ?? '', { isPicture: false }) : undefined;
    if (address !== undefined) inner.setAttribute('href', address);
    const label = this.#shown === undefined ? attribute(element, 'aria-label') : null;
    if (address !== undefined && label !== null) setAttribute(inner, 'aria-label', label);
    const [isAfterGap, isBeforeGap] = [hasGap(element, style, 'Left'), hasGap(element, style, 'Right')];
    if (isInItsRow || (isInline && (isAfterGap || isBeforeGap))) {
      const spaced = this.#copy.createDocumentFragment();
      spaced.append(isInItsRow || isAfterGap ? ' ' : '', inner, isInItsRow || isBeforeGap ? ' ' : '');
      return { outer: spaced, inner };
    }
    if (isInline || isBlock) return { outer: inner, inner };
    const outer = this.#make('div');
    outer.append(inner);
    return { outer, inner };
  }
}

interface InlineElement {
  readonly name: string;
  readonly style: CSSStyleDeclaration;
  readonly parent: Element | null;
  readonly resolve: ResolveAddress;
}

function leafOrNothing(outer: Node | undefined): Copied | undefined {
  return outer && leafWith(outer);
}

function leafWith(outer: Node): Copied {
  return { outer, inner: null, isTextShown: true };
}

function visibilityOf(element: Element, style: CSSStyleDeclaration, isFolded: boolean): 'all' | 'inner' | 'none' {
  const { display, visibility } = style;
  if (display === 'none' || display === '') return 'none'; // an empty name: in no slot
  // Elements without a box are neither visible nor hidden themselves.
  if (!isFolded && display !== 'contents' && !isRendered(element)) return 'none';
  if (style.contentVisibility === 'hidden' && attribute(element, 'hidden') !== 'until-found') return 'inner';
  return visibility === 'visible' ? 'all' : 'inner';
}

/** The visible texts in an element, without line breaks of its layout. */
function seenText(element: Element, isShown: ShownText): string {
  const walker = Document.prototype.createTreeWalker.call(document, element, NodeFilter.SHOW_TEXT);
  let text = '';
  while (walker.nextNode() !== null) {
    const parent = parentOf(walker.currentNode);
    if (isElement(parent)) text += isShown(walker.currentNode, parent);
  }
  return text;
}

function isInRow(parent: Element | null): boolean {
  if (parent === null) return false;
  const { display, flexDirection } = computed(parent);
  return display.endsWith('flex') && flexDirection.startsWith('row');
}
