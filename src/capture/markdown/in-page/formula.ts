import {
  all,
  attribute,
  closest,
  first,
  matches,
  nameOf,
  parentElementOf,
  read,
} from '../../../steps/in-page/nodes.ts';
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
  const math = nameOf(element) === 'math' ? element : first(element, 'math');
  const source = sourceOf(element, math);
  const text = math === null ? '' : (attribute(math, 'alttext') ?? inOneLine(math));
  if (source === undefined && text.trim() === '') return undefined;
  const isBlock = closest(element, BLOCK) !== null || first(element, BLOCK) !== null || isDisplayed(element);
  return { tex: source?.replaceAll(/\s+/g, ' ').trim(), text: text.replaceAll(/\s+/g, ' ').trim(), isBlock };
}

/** True for what stands beside a formula until it is drawn. */
export function isFormulaPreview(element: Element): boolean {
  return matches(element, '.MathJax_Preview, mjx-assistive-mml');
}

function sourceOf(element: Element, math: Element | null): string | undefined {
  const annotation = (math ?? element) && first(math ?? element, TEX)?.textContent;
  const latex = attribute(element, 'data-latex') ?? attributeInside(element, 'data-latex');
  const picture = matches(element, '.mwe-math-element') ? attributeInside(element, 'alt') : undefined;
  return (
    [annotation, latex, scriptOf(element)?.textContent, picture].find(
      (text) => typeof text === 'string' && text.trim() !== '',
    ) ?? undefined
  );
}

function attributeInside(element: Element, name: string): string | undefined {
  const inner = first(element, `[${name}]`);
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

/** Writes MathML as one line: fractions with a stroke, indices and exponents by their signs. */
function inOneLine(element: Element, depth = 0): string {
  const name = nameOf(element);
  if (name.startsWith('annotation')) return '';
  if (name === 'mspace') return ' ';
  const children = all(element, ':scope > *');
  if (children.length === 0 || depth > MOST_DEPTH) return element.textContent.trim();
  const parts = children.map((child) => inOneLine(child, depth + 1));
  const [base = '', second = '', third = ''] = parts;
  if (name === 'mfrac') return `${grouped(base)}/${grouped(second)}`;
  if (name === 'msup' || name === 'mover') return `${base}${raised(second)}`;
  if (name === 'msub' || name === 'munder') return `${base}${lowered(second)}`;
  if (name === 'msubsup' || name === 'munderover') return `${base}${lowered(second)}${raised(third)}`;
  if (name === 'mroot') return `${raised(second)}√${grouped(base)}`;
  if (name === 'msqrt') return `√${grouped(parts.join(''))}`;
  if (name === 'mtr' || name === 'mlabeledtr') return parts.join(', ');
  if (name === 'mtable') return `(${parts.join('; ')})`;
  if (name === 'mfenced') return `(${parts.join(', ')})`;
  return name === 'semantics' ? base : parts.join('');
}

function grouped(text: string): string {
  return /^(?:[\p{N}.,]*|.)$/u.test(text) ? text : `(${text})`;
}
