import {
  all,
  attribute,
  boxOf,
  computed,
  first,
  isElement,
  nameOf,
  outerOf,
  parentElementOf,
  read,
  typeOf,
} from '../../../core/steps/in-page/nodes.ts';

/** Classes of line numbers and of buttons, by the usual highlighters and documentation generators. */
const FURNITURE =
  /(?:^|[\s_-])(?:linenos?|linenodiv|line-?numbers?(?:-rows)?|(?:ln|lines|blob)-num(?:bers)?|gutters?|margin-view-overlays|copy-?(?:btn|button|code)|clipboard|code__nav)(?:$|[\s_-])/i;
const NOT_A_LANGUAGE = /^(?:default|none|text|plain|plaintext|notranslate|source)$/i;
const LANGUAGE = /(?:^|\s)(?:language-|lang-|brush:\s*|highlight-(?:source-|text-)?)([\w+#.-]+)/;
/** Deeper elements are read as plain text, because recursion has a limit. */
const MOST_DEPTH = 200;
/** Highlighters name the language at the code or at one of the boxes around it. */
const MOST_AROUND = 7;

/** Words of buttons that copy the code beside them. */
const COPIES = /^\s*(?:copy|copied!?|copy code|copy to clipboard)\s*$/i;
/** Boxes around a bar and its code, and characters of what stands in it. */
const MOST_AROUND_BAR = 4;
const LONGEST_BAR = 80;

/** Editors, which write each line as an element. */
const EDITORS = /(?:^|\s)(?:cm-content|CodeMirror-code|view-lines|ace_text-layer)(?:\s|$)/;
const MONOSPACED = /mono|courier|consolas|menlo/i;
const NAME_OF_LANGUAGE = /(?:^|\s)(?:lang|language|code-lang|language-name|code-block-(?:lang|language))(?:\s|$)/;

/** True for code that is no `pre`: an editor, a block that keeps its white space, or lines that do. */
export function isCodeBlock(element: Element, { display, whiteSpace, fontFamily }: CSSStyleDeclaration): boolean {
  const name = nameOf(element);
  if (isEditor(element)) return true;
  if (name === 'code') return /^(?:block|grid|flex)/.test(display) && /^(?:pre|break-spaces)/.test(whiteSpace);
  if (name === 'table') return hasLinesOfCode(all(element, 'tr').flatMap((row) => all(row, ':scope > td:last-child')));
  return name === 'div' && MONOSPACED.test(fontFamily) && hasLinesOfCode(all(element, ':scope > *'));
}

function isEditor(element: Element): boolean {
  return EDITORS.test(attribute(element, 'class') ?? '');
}

/** True for two lines or more of a terminal or a file, by the first of them. */
function hasLinesOfCode(lines: readonly Element[]): boolean {
  const first = lines.slice(0, 5).map((line) => computed(line));
  return (
    first.length > 1 &&
    first.every(
      ({ display, whiteSpace, fontFamily }) =>
        /^(?:block|flex|table-cell)/.test(display) && whiteSpace === 'pre' && MONOSPACED.test(fontFamily),
    )
  );
}

/** Returns the text of a piece of code with its lines, without line numbers and buttons. */
export function codeText(code: Element): string {
  let text = '';
  const add = (node: Node, depth: number): void => {
    if (typeOf(node) === Node.TEXT_NODE) text += read(Node.prototype, node, 'nodeValue') ?? '';
    if (!isElement(node)) return;
    const { display, userSelect } = computed(node);
    const name = nameOf(node);
    if (name === 'br') text += '\n';
    const isBeside = node !== code && isCodeFurniture(node);
    const isUnseen = display === 'none' || userSelect === 'none' || name === 'style'; // also of drawings
    if (isUnseen || name === 'button' || isBeside) return;
    const isLine = !/^(?:inline|contents|table-cell|ruby)/.test(display) && node !== code;
    if (isLine && text !== '' && !text.endsWith('\n')) text += '\n';
    if (depth > MOST_DEPTH) text += node.textContent;
    else
      for (const child of node === code ? linesOf(code) : read(Node.prototype, node, 'childNodes'))
        add(child, depth + 1);
    if (isLine && !text.endsWith('\n')) text += '\n';
  };
  add(code, 0);
  return isEditor(code) ? text.replaceAll('\u00A0', ' ') : text;
}

/** Returns the content of a piece of code. Editors place their lines, so their order is that of the places. */
function linesOf(code: Element): Iterable<Node> {
  if (!isEditor(code)) return read(Node.prototype, code, 'childNodes');
  return all(code, ':scope > *').toSorted((a, b) => boxOf(a).top - boxOf(b).top);
}

/** True for line numbers and buttons of code. Whole blocks can have such a class, too. */
function isCodeFurniture(element: Element): boolean {
  if (!FURNITURE.test(attribute(element, 'class') ?? '')) return false;
  return nameOf(element) === 'button' || /^[\s\d]*$/.test(element.textContent) || COPIES.test(element.textContent);
}

/** True for columns of line numbers, for names of languages beside code, and for what copies it. */
export function isFurnitureOfCode(element: Element, name: string): boolean {
  if (name === 'td') return isCodeFurniture(element);
  if (!/^(?:button|span|div|p|small|a)$/.test(name)) return false;
  if (isCodeFurniture(element) && (name === 'button' || element.textContent.trim() !== '')) return true;
  const isNamed = NAME_OF_LANGUAGE.test(attribute(element, 'class') ?? '');
  if (!isNamed && !COPIES.test(element.textContent)) return false;
  const most = name === 'button' ? Infinity : LONGEST_BAR;
  return element.textContent.trim().length < LONGEST_BAR && isBesideCode(element, most);
}

/** True for a part of a bar of code: a box around it has the code, and few other characters. */
function isBesideCode(element: Element, mostOthers: number): boolean {
  let around = outerOf(element);
  for (let steps = 0; steps < MOST_AROUND_BAR && around !== null; steps++, around = outerOf(around)) {
    const code = first(around, 'pre');
    if (code === null) continue;
    return around.textContent.trim().length - code.textContent.trim().length <= mostOthers;
  }
  return false;
}

/** Returns the name of the language that a highlighter has noted in or around a piece of code. */
export function languageOf(code: Element): string | undefined {
  const around: Element[] = [];
  for (let outer: Element | null = code; outer !== null && around.length < MOST_AROUND; outer = parentElementOf(outer))
    around.push(outer);
  const inner = first(code, 'code');
  for (const each of inner === null ? around : [inner, ...around]) {
    const [, named] = LANGUAGE.exec(attribute(each, 'class') ?? '') ?? [];
    const language = named ?? attribute(each, 'data-lang') ?? attribute(each, 'data-language') ?? '';
    if (language !== '' && !NOT_A_LANGUAGE.test(language)) return language;
  }
  return undefined;
}
