import { generatedRules } from './generated-rules.ts';
import { attribute, computed, nameOf, read, typeOf } from '../../../core/steps/in-page/nodes.ts';

interface Counter {
  readonly name: string;
  readonly depth: number;
  value: number;
}

/** Texts that style sheets write before and after the content of an element. Empty for none. */
export interface GeneratedText {
  readonly before: string;
  readonly after: string;
}

const NOTHING: GeneratedText = { before: '', after: '' };
const HOLDERS = /^(?:h[1-6]|p|li|dt|dd|td|th|figcaption|caption|summary|legend|label)$/;
/** Parts of a `content` value, as the browser writes it. */
const PART =
  /"((?:[^"\\]|\\.)*)"|counters?\(\s*([\w-]+)\s*(?:,\s*"((?:[^"\\]|\\.)*)"\s*)?(?:,\s*([\w-]+)\s*)?\)|attr\(\s*([\w-]+)\s*\)/g;
/** Fonts whose letters are pictures. */
const ICONS = /icon|symbol|awesome|glyph|material/i;
const WORD = /\p{L}{2}|\p{L}$|\p{N}/u;
/** Pixels that a reader sees as a gap. */
const LEAST_GAP = 2;
const MOST_COUNTERS = 1_000;
const MOST_LENGTH = 1_000;

/** Follows the counters of a page in document order, and reads the texts that are generated. */
export class GeneratedTexts {
  readonly #rules = generatedRules(document);
  #counters: Counter[] = [];

  /** Returns the texts of an element that is entered at a depth. Called once for each shown element, in order. */
  of(element: Element, style: CSSStyleDeclaration, depth: number): GeneratedText {
    if (this.#rules.mayCount(element)) {
      if (this.#counters.length > 0) this.#counters = this.#counters.filter((counter) => counter.depth <= depth);
      this.#count(style, depth);
    }
    if (!this.#rules.mayWrite(element) || (!HOLDERS.test(nameOf(element)) && !holdsText(element))) return NOTHING;
    return { before: this.#textOf(element, '::before', depth), after: this.#textOf(element, '::after', depth) };
  }

  #textOf(element: Element, part: '::before' | '::after', depth: number): string {
    const style = computed(element, part);
    const { content } = style;
    if (content === 'none' || content === 'normal') return '';
    this.#count(style, depth + 1);
    const { display, visibility, opacity, position, fontFamily, marginLeft, marginRight } = style;
    const isSeen = display !== 'none' && visibility === 'visible' && Number(opacity) > 0;
    if (!isSeen || /absolute|fixed/.test(position) || ICONS.test(fontFamily)) return '';
    const isNumbered = /^counters?\(/.test(content) && nameOf(element) === 'li';
    const text = isNumbered ? '' : this.#written(element, content.slice(0, MOST_LENGTH));
    const isNumber = content.includes('counter') && text.trim() !== '';
    if (!isNumber && !WORD.test(text)) return '';
    const gap = Number.parseFloat(part === '::before' ? marginRight : marginLeft) >= LEAST_GAP ? ' ' : '';
    return part === '::before' ? `${text}${gap}` : `${gap}${text}`;
  }

  #written(element: Element, content: string): string {
    let text = '';
    for (const [, literal, counter, between, style, name] of content.matchAll(PART)) {
      if (literal !== undefined) text += unescaped(literal);
      else if (name !== undefined) text += attribute(element, name) ?? '';
      else if (counter !== undefined) {
        const values = this.#counters
          .filter((each) => each.name === counter)
          .map(({ value }) => numbered(value, style));
        text += between === undefined ? (values.at(-1) ?? '0') : values.join(unescaped(between));
      }
    }
    return text;
  }

  #count({ counterReset, counterSet, counterIncrement }: CSSStyleDeclaration, depth: number): void {
    for (const [name, value] of pairsOf(counterReset, 0)) {
      this.#counters = this.#counters.filter((each) => each.name !== name || each.depth < depth);
      if (this.#counters.length < MOST_COUNTERS) this.#counters.push({ name, depth, value });
    }
    for (const [name, by] of pairsOf(counterIncrement, 1)) this.#find(name, depth).value += by;
    for (const [name, value] of pairsOf(counterSet, 0)) this.#find(name, depth).value = value;
  }

  #find(name: string, depth: number): Counter {
    const found = this.#counters.findLast((each) => each.name === name);
    if (found !== undefined) return found;
    const made = { name, depth, value: 0 };
    if (this.#counters.length < MOST_COUNTERS) this.#counters.push(made);
    return made;
  }
}

/** Returns the counters that a property names, with their numbers. */
function pairsOf(property: string, usual: number): [name: string, number: number][] {
  if (property === 'none' || property === '') return [];
  return [...property.matchAll(/([a-z_-][\w-]*)(?:\s+(-?\d+))?/gi)].map(([, name = '', number]) => [
    name,
    number === undefined ? usual : Number(number),
  ]);
}

function numbered(value: number, style = 'decimal'): string {
  if (/^(?:disc|circle|square|none)$/.test(style)) return '';
  const isUpper = style.startsWith('upper');
  const text = style.endsWith('roman') ? roman(value) : /(?:alpha|latin)$/.test(style) ? letters(value) : undefined;
  if (text !== undefined) return isUpper ? text.toUpperCase() : text;
  return style === 'decimal-leading-zero' ? String(value).padStart(2, '0') : String(value);
}

function letters(value: number): string | undefined {
  if (value < 1) return undefined;
  const last = String.fromCodePoint(97 + ((value - 1) % 26));
  return value <= 26 ? last : `${letters(Math.floor((value - 1) / 26)) ?? ''}${last}`;
}

const ROMAN = Object.entries({
  m: 1_000,
  cm: 900,
  d: 500,
  cd: 400,
  c: 100,
  xc: 90,
  l: 50,
  xl: 40,
  x: 10,
  ix: 9,
  v: 5,
  iv: 4,
  i: 1,
});

function roman(value: number): string | undefined {
  if (value < 1 || value > 3_999) return undefined;
  let [text, left] = ['', value];
  for (const [sign, number] of ROMAN) for (; left >= number; left -= number) text += sign;
  return text;
}

function unescaped(literal: string): string {
  return literal.replaceAll(
    /\\([\da-f]{1,6})\s?|\\(.)/gi,
    (_all, code: string | undefined, sign: string | undefined) =>
      code === undefined ? (sign ?? '') : String.fromCodePoint(Math.min(Number.parseInt(code, 16), 0x10_ff_ff)),
  );
}

function holdsText(element: Element): boolean {
  for (const node of read(Node.prototype, element, 'childNodes'))
    if (typeOf(node) === Node.TEXT_NODE && (node.nodeValue ?? '').trim() !== '') return true;
  return false;
}
