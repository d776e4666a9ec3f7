import { DECIMAL } from './written-number.ts';
import {
  boxOf,
  computed,
  isElement,
  isNamed,
  isRendered,
  nameOf,
  parentElementOf,
  read,
  typeOf,
} from '../../../../core/steps/in-page/nodes.ts';

/** Elements whose content is no text of the page. */
const UNREAD: ReadonlySet<string> = new Set([
  'script',
  'style',
  'noscript',
  'template',
  'datalist',
  'iframe',
  'object',
]);
/** Elements that are never drawn: their text is read as it is written. */
const UNDRAWN: ReadonlySet<string> = new Set(['title', 'script', 'style', 'meta', 'template', 'noscript']);
const MOST_NODES = 500_000;
/** Stands between numbers that are not one. Shown by no text. */
const APART = '\u2063';
const BETWEEN_NUMBERS = /(?<=\d)[ \u2063]+(?=\d)/g;
/** Pixels between boxes of a line that a reader sees as a gap. */
const LEAST_GAP = 4;
/** Characters of two digits, with spaces around. */
const MOST_CENTS = 20;

/**
 * Returns a function that reads the text of an element as a person sees it: on the lines of the page, without what is
 * hidden, or for screen readers only. The text of a field is its value. Null if nothing can be seen. In the text of a
 * number, raised digits are decimals. Runs in the page.
 */
export function textReader(): (element: Element, isNumber?: boolean) => string | null {
  let left = MOST_NODES; // of all elements that are read
  let readsNumber = false;
  const write = (node: Node, into: string[]): void => {
    if (left-- <= 0) return;
    if (!isElement(node)) {
      if (typeOf(node) === Node.TEXT_NODE) into.push(read(Node.prototype, node, 'nodeValue') ?? '');
      return;
    }
    const name = nameOf(node);
    if (UNREAD.has(name)) return;
    const style = computed(node);
    if (style.display === 'none' || isForReaders(node, style)) return;
    if (name === 'br') {
      into.push('\n');
      return;
    }
    const field = fieldText(node);
    if (field !== undefined) {
      into.push(...(readsNumber ? [APART, field, APART] : [field]));
      return;
    }
    const isHidden = style.visibility !== 'visible';
    const isRaised = readsNumber && isRaisedNumber(node, style, into);
    const isCents = isRaised && isDecimal(node, into);
    if (isRaised && !isCents) return; // a note, or an exponent
    if (isCents) into.splice(into.findLastIndex((part) => part.trim() !== '') + 1, Infinity, DECIMAL);
    const edge = isCents ? '' : edgeOf(style, readsNumber);
    const isApart = readsNumber && !isCents && standsApart(node, style);
    into.push(edge, ...(isApart ? [APART] : []));
    const keepsLines = /^(?:pre|break-spaces)/.test(style.whiteSpace);
    for (const child of childrenOf(node)) {
      if (isElement(child)) write(child, into);
      else if (!isHidden && typeOf(child) === Node.TEXT_NODE) {
        const text = transformed(read(Node.prototype, child, 'nodeValue') ?? '', style.textTransform);
        left--;
        into.push(keepsLines ? text : text.replaceAll(/[ \t\n\r\f]+/g, ' '));
        if (readsNumber && text.trim() === '') into.push(APART); // between elements
      }
    }
    into.push(...(isApart ? [APART] : []), edge);
  };

  return (element, isNumber = false) => {
    readsNumber = isNumber;
    if (UNDRAWN.has(nameOf(element))) return tidy(read(Node.prototype, element, 'textContent') ?? '');
    if (!isRendered(element) && computed(element).display !== 'contents') return null;
    const parts: string[] = [];
    write(element, parts);
    const written = parts
      .join('')
      .replaceAll(BETWEEN_NUMBERS, (gap) => (gap.includes(APART) ? '\n' : gap))
      .replaceAll(APART, '');
    const text = tidy(written);
    return text === '' ? null : text;
  };
}

/** Returns what stands at both ends of an element. A number ends where its cell ends. */
function edgeOf({ display }: CSSStyleDeclaration, isNumber: boolean): string {
  if (display === 'table-cell') return isNumber ? '\n' : '\t';
  return /^(?:inline|contents|ruby)/.test(display) ? '' : '\n';
}

/** True for buttons, and for boxes with a gap around them. */
function standsApart(element: Element, style: CSSStyleDeclaration): boolean {
  if (isNamed(element, 'button')) return true;
  if (!style.display.startsWith('inline')) return false;
  const { marginLeft, marginRight, paddingLeft, paddingRight } = style;
  return [marginLeft, marginRight, paddingLeft, paddingRight].some((gap) => Number.parseFloat(gap) >= LEAST_GAP);
}

/** True for digits beside the upper half of a number. */
function isRaisedNumber(element: Element, style: CSSStyleDeclaration, before: readonly string[]): boolean {
  const text = read(Node.prototype, element, 'textContent') ?? '';
  if (text.length > MOST_CENTS || !/^\s*\d+\s*$/.test(text) || !/\d$/.test(lastOf(before))) return false;
  const parent = parentElementOf(element);
  const outer = parent === null ? undefined : boxOf(parent);
  const { top, height } = boxOf(element);
  const isSmall = parent !== null && Number.parseFloat(style.fontSize) < Number.parseFloat(computed(parent).fontSize);
  const isHigh = outer !== undefined && top + height / 2 < outer.top + outer.height / 2;
  return isNamed(element, 'sup') || /^(?:super|top|text-top)$/.test(style.verticalAlign) || (isSmall && isHigh);
}

/** True for two digits at a number without decimals, as shops write cents: `68<sup>50</sup>`. */
function isDecimal(element: Element, before: readonly string[]): boolean {
  return /^\s*\d{2}\s*$/.test(element.textContent) && !/\d[.,]\d{1,2}$/.test(lastOf(before));
}

/** Returns the last text that is not blank. */
function lastOf(parts: readonly string[]): string {
  return parts.findLast((part) => part.trim() !== '') ?? '';
}

function tidy(text: string): string {
  const lines = text.split('\n').map((line) => line.replaceAll(/[ \t\f\v\u00a0]+/g, ' ').trim());
  return lines.filter((line) => line !== '').join('\n');
}

/** Returns the children that are drawn: those of a shadow tree instead of the element's own, and what a slot shows. */
function childrenOf(element: Element): readonly Node[] {
  const shadow = read(Element.prototype, element, 'shadowRoot');
  if (shadow !== null) return [...read(Node.prototype, shadow, 'childNodes')];
  const assigned = isNamed(element, 'slot') ? HTMLSlotElement.prototype.assignedNodes.call(element) : [];
  return assigned.length > 0 ? assigned : [...read(Node.prototype, element, 'childNodes')];
}

/** Returns what a field shows. Undefined for other elements. */
function fieldText(element: Element): string | undefined {
  if (isNamed(element, 'textarea')) return read(HTMLTextAreaElement.prototype, element, 'value');
  if (isNamed(element, 'select')) {
    const options = [...read(HTMLSelectElement.prototype, element, 'selectedOptions')];
    return options.map((option) => read(HTMLOptionElement.prototype, option, 'text')).join('\n');
  }
  if (!isNamed(element, 'input')) return undefined;
  const type = read(HTMLInputElement.prototype, element, 'type');
  return /^(?:password|hidden|checkbox|radio|file|color|range|image)$/.test(type)
    ? ''
    : read(HTMLInputElement.prototype, element, 'value');
}

/** True for text that only screen readers read: cut to a pixel, or moved far out of the page. */
function isForReaders(
  element: Element,
  { position, overflow, clip, clipPath, left, textIndent, opacity }: CSSStyleDeclaration,
): boolean {
  if (opacity === '0') return true;
  if (/inset\((?:50|100)%/.test(clipPath)) return true;
  if (position !== 'absolute' && position !== 'fixed') return Number.parseFloat(textIndent) <= -999;
  if (/^rect\((?:0px|1px|auto)(?:,? (?:0px|1px)){3}\)/.test(clip) || Number.parseFloat(left) <= -999) return true;
  const { width, height } = boxOf(element);
  return overflow !== 'visible' && width <= 1 && height <= 1;
}

function transformed(text: string, how: string): string {
  if (how === 'uppercase') return text.toUpperCase();
  if (how === 'lowercase') return text.toLowerCase();
  return how === 'capitalize'
    ? text.replaceAll(/(^|\s)(\p{L})/gu, (_all, space: string, letter: string) => space + letter.toUpperCase())
    : text;
}
