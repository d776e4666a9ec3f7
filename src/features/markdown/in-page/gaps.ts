import { isElement, nameOf, read, typeOf } from '../../../core/steps/in-page/nodes.ts';

type Side = 'Left' | 'Right';

/** Pixels between two words that a reader sees as a gap. */
const LEAST = 4;
/** Elements that belong to the word beside them. */
const IN_WORDS = /^(?:code|kbd|samp|sup|sub|b|i|em|strong|mark|ruby)$/;
const INITIAL = /^\p{L}$/u;
const [LETTER_BEFORE, LETTER_AFTER] = [/[\p{L}\p{N}]$/u, /^[\p{L}\p{N}]/u];

/** True for a box in a line that a gap separates from the word or box beside it, as buttons and badges. */
export function hasGap(element: Element, style: CSSStyleDeclaration, side: Side): boolean {
  const name = nameOf(element);
  const isPartOfWord = IN_WORDS.test(name) || INITIAL.test(element.textContent);
  if (name !== 'button' && (isPartOfWord || !style.display.startsWith('inline-'))) return false;
  const sibling = read(Node.prototype, element, side === 'Left' ? 'previousSibling' : 'nextSibling');
  if (sibling === null) return false;
  const touches = side === 'Left' ? LETTER_BEFORE : LETTER_AFTER;
  const isText = typeOf(sibling) === Node.TEXT_NODE;
  if (isText ? !touches.test(read(Node.prototype, sibling, 'nodeValue') ?? '') : !isElement(sibling)) return false;
  const gap = [style[`margin${side}`], style[`padding${side}`], style[`border${side}Width`]].map(Number.parseFloat);
  return gap.reduce((sum, part) => sum + (Number.isNaN(part) ? 0 : part), 0) >= LEAST;
}
