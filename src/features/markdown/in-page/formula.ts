import {
  all,
  attribute,
  closest,
  first as firstInside,
  matches,
  nameOf,
  parentElementOf,
  read,
} from '../../../core/steps/in-page/nodes.ts';
import { raised, lowered } from './scripts.ts';

/** A formula of the page. */
export interface Formula {
  /** Source in TeX. Undefined: the page has none, and `text` stands for it. */
  readonly tex: string | undefined;
  /** The formula in one line of text. */
  readonly text: string;
  /** True for a formula with lines of its own. */
  readonly isBlock: boolean;
}

/** Elements in which libraries draw a formula, usually twice: for screen readers, and in pieces. */
const DRAWN =
  '.katex, .katex-display, mjx-container, .MathJax, .MathJax_Display, .MathJax_SVG, .MathJax_SVG_Display, .MathJax_CHTML, .MJXc-display, .mwe-math-element';
const BLOCK =
  '.katex-display, .MathJax_Display, .MathJax_SVG_Display, .MJXc-display, mjx-container[display="true"], math[display="block"], .mwe-math-element-block';
const TEX = 'annotation[encoding="application/x-tex"], annotation[encoding="TeX"], annotation[encoding="text/x-tex"]';

/** Deeper elements are written as plain text, because recursion has a limit. */
const MOST_DEPTH = 50;

/** Returns the formula that an element draws. Undefined for other elements. */
export function formulaOf(element: Element): Formula | undefined {
  if (nameOf(element) !== 'math' && !matches(element, DRAWN)) return undefined;
  const math = nameOf(element) === 'math' ? element : firstInside(element, 'math');
  const source = sourceOf(element, math);
  const text = math === null ? '' : (attribute(math, 'alttext') ?? inOneLine(math));
  if (source === undefined && text.trim() === '') return undefined;
  const isBlock = closest(element, BLOCK) !== null || firstInside(element, BLOCK) !== null || isDisplayed(element);
  return { tex: source?.replaceAll(/\s+/g, ' ').trim(), text: text.replaceAll(/\s+/g, ' ').trim(), isBlock };
}

/** True for what stands beside a formula until it is drawn. */
export function isFormulaPreview(element: Element): boolean {
  return matches(element, '.MathJax_Preview, mjx-assistive-mml');
}

function sourceOf(element: Element, math: Element | null): string | undefined {
  const annotation = (math ?? element) && firstInside(math ?? element, TEX)?.textContent;
  const latex = attribute(element, 'data-latex') ?? attributeInside(element, 'data-latex');
  const picture = matches(element, '.mwe-math-element') ? attributeInside(element, 'alt') : undefined;
  return (
    [annotation, latex, scriptOf(element)?.textContent, picture].find(
      (text) => typeof text === 'string' && text.trim() !== '',
    ) ?? undefined
  );
}

function attributeInside(element: Element, name: string): string | undefined {
  const inner = firstInside(element, `[${name}]`);
  return inner === null ? undefined : (attribute(inner, name) ?? undefined);
}

/** MathJax 2 keeps the source in a script behind what it draws. */
function scriptOf(element: Element): Element | null {
  for (let drawn: Element | null = element; drawn !== null && matches(drawn, DRAWN); drawn = parentElementOf(drawn)) {
    const next = read(Element.prototype, drawn, 'nextElementSibling');
    if (next !== null && matches(next, 'script[type^="math/tex"]')) return next;
  }
  return null;
}

function isDisplayed(element: Element): boolean {
  const script = scriptOf(element);
  return script !== null && (attribute(script, 'type') ?? '').includes('mode=display');
}

/** Signs over a letter, and the characters that put them there. */
const ACCENTS: Readonly<Record<string, string>> = {
  '^': '\u0302',
  ˆ: '\u0302',
  '~': '\u0303',
  '˜': '\u0303',
  '¯': '\u0305',
  '―': '\u0305',
  '‾': '\u0305',
  '˙': '\u0307',
  '¨': '\u0308',
  ˇ: '\u030C',
  '˘': '\u0306',
  '´': '\u0301',
  '`': '\u0300',
  '→': '\u20D7',
};

/** Writes MathML as one line: fractions with a stroke, indices and exponents by their signs. */
function inOneLine(element: Element, depth = 0): string {
  const name = nameOf(element);
  if (name.startsWith('annotation') || name === 'mphantom') return '';
  if (name === 'mspace') return ' ';
  if (name === 'mtext') return element.textContent.replaceAll('\u00A0', ' ');
  const children = all(element, ':scope > *');
  if (children.length === 0 || depth > MOST_DEPTH) return signsOf(element.textContent);
  const parts = children.map((child) => inOneLine(child, depth + 1));
  const [first = '', second = '', third = ''] = parts;
  const base = children[0] !== undefined && isFraction(children[0]) ? grouped(first) : first;
  if (name === 'mfrac')
    return attribute(element, 'linethickness') === '0'
      ? `${first} over ${second}`
      : `${grouped(first)}/${grouped(second)}`;
  if (name === 'mover' && base.length === 1 && ACCENTS[second] !== undefined) return base + ACCENTS[second];
  if (name === 'msup' || name === 'mover') return `${base}${raised(second)}`;
  if (name === 'msub' || name === 'munder') return `${base}${lowered(second)}`;
  if (name === 'msubsup' || name === 'munderover') return `${base}${lowered(second)}${raised(third)}`;
  if (name === 'mroot') return `${raised(second)}√${grouped(first)}`;
  if (name === 'msqrt') return `√${grouped(inRow(children, parts))}`;
  if (name === 'mtr' || name === 'mlabeledtr') return parts.reduce(besideCell);
  if (name === 'mtable') return `(${parts.join('; ')})`;
  if (name === 'mfenced') return `(${parts.join(', ')})`;
  return name === 'semantics' ? first : inRow(children, parts);
}

/** Joins the parts of a row. A fraction stays apart from its neighbours: "1 1/2" is not "11/2". */
function inRow(children: readonly Element[], parts: readonly string[]): string {
  let row = '';
  for (const [index, part] of parts.entries()) {
    const [before, own] = [children[index - 1], children[index]];
    const isBesideFraction = (before !== undefined && isFraction(before)) || (own !== undefined && isFraction(own));
    const isApart = isBesideFraction && /[\p{L}\p{N})]$/u.test(row) && /^[\p{L}\p{N}(]/u.test(part);
    row += isApart ? ` ${part}` : part;
  }
  return row;
}

function isFraction(element: Element): boolean {
  const inner = all(element, ':scope > *');
  const [only] = inner;
  if (inner.length === 1 && only !== undefined && /^(?:mrow|mstyle|mpadded)$/.test(nameOf(element)))
    return isFraction(only);
  return nameOf(element) === 'mfrac';
}

/** Equations are aligned in cells, which need no comma before their sign. */
function besideCell(row: string, cell: string): string {
  return row === '' || cell === '' || /^\s*[=<>≤≥≠≈≡→+−-]/.test(cell) ? `${row} ${cell}` : `${row}, ${cell}`;
}

/** Writes a space between a function and its argument, and drops other invisible signs. */
function signsOf(text: string): string {
  return text
    .trim()
    .replaceAll('\u2061', ' ')
    .replaceAll(/[\u2062-\u2064]/g, '');
}

function grouped(text: string): string {
  return /^(?:[\p{N}.,]*|.)$/u.test(text) ? text : `(${text})`;
}
