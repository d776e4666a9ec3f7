import {
  attribute,
  computed,
  first,
  isElement,
  nameOf,
  parentElementOf,
  read,
  typeOf,
} from '../../../steps/in-page/nodes.ts';

/** Classes of line numbers and of buttons, by the usual highlighters and documentation generators. */
const FURNITURE =
  /(?:^|[\s_-])(?:linenos?|linenodiv|line-?numbers?(?:-rows)?|gutter|copy-?(?:btn|button|code)|clipboard|code__nav)(?:$|[\s_-])/i;
const NOT_A_LANGUAGE = /^(?:default|none|text|plain|plaintext|notranslate|source)$/i;
const LANGUAGE = /(?:^|\s)(?:language-|lang-|brush:\s*|highlight-(?:source-|text-)?)([\w+#.-]+)/;
/** Deeper elements are read as plain text, because recursion has a limit. */
const MOST_DEPTH = 200;
/** Highlighters name the language at the code or at one of the boxes around it. */
const MOST_AROUND = 7;

/** Words of buttons that copy the code beside them. */
const COPIES = /^\s*(?:copy|copied!?|copy code|copy to clipboard)\s*$/i;
/** Boxes around a button and its code. */
const MOST_AROUND_BUTTON = 3;

/** Editors, which write each line as an element. */
const EDITORS = /(?:^|\s)(?:cm-content|CodeMirror-code|view-lines|ace_text-layer)(?:\s|$)/;

/** True for code that is no `pre`: an editor, or a block that keeps its white space. */
export function isCodeBlock(element: Element, { display, whiteSpace }: CSSStyleDeclaration): boolean {
  if (EDITORS.test(attribute(element, 'class') ?? '')) return true;
  return nameOf(element) === 'code' && /^(?:block|grid|flex)/.test(display) && /^(?:pre|break-spaces)/.test(whiteSpace);
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
    if (display === 'none' || userSelect === 'none' || name === 'button' || isCodeFurniture(node)) return;
    const isLine = !/^(?:inline|contents|table-cell|ruby)/.test(display) && node !== code;
    if (isLine && text !== '' && !text.endsWith('\n')) text += '\n';
    if (depth > MOST_DEPTH) text += node.textContent;
    else for (const child of read(Node.prototype, node, 'childNodes')) add(child, depth + 1);
    if (isLine && !text.endsWith('\n')) text += '\n';
  };
  add(code, 0);
  return text;
}

/** True for line numbers and buttons of code. */
function isCodeFurniture(element: Element): boolean {
  return FURNITURE.test(attribute(element, 'class') ?? '');
}

/** True for columns of line numbers, and for buttons that copy code. */
export function isFurnitureOfCode(element: Element, name: string): boolean {
  if (name === 'td') return isCodeFurniture(element) && /^[\s\d]*$/.test(element.textContent);
  if (name !== 'button') return false;
  if (isCodeFurniture(element)) return true;
  if (!COPIES.test(element.textContent)) return false;
  let around: Element | null = element;
  for (let steps = 0; steps < MOST_AROUND_BUTTON && around !== null; steps++) around = parentElementOf(around);
  return around !== null && first(around, 'pre') !== null;
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
