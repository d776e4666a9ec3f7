import { read } from '../../../core/steps/in-page/nodes.ts';

interface Limits {
  readonly maxElements: number;
  readonly maxLength: number;
}

const MAX_ROUNDS = 6; // each round removes one line break from the start of a `pre`
const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));
const ELEMENTS = words(
  'a abbr address article aside b bdi bdo big blockquote br caption center cite code col colgroup dd del dfn div dl dt em figcaption figure font footer h1 h2 h3 h4 h5 h6 header hr i img ins kbd li main mark nav nobr ol p pre q rp rt ruby s samp section small span strike strong style sub sup table tbody td tfoot th thead time tr tt u ul var wbr',
);
/** Elements that are dropped with their text. Other elements outside the allowlist are replaced by their children. */
const DROPPED = words(
  'applet audio canvas datalist embed fencedframe frameset iframe listing math noembed noframes noscript object plaintext portal script select template textarea title video xmp',
);
const ATTRIBUTES = words(
  'align alt bgcolor border cellpadding cellspacing class color colspan datetime dir face height hidden href id lang nowrap reversed role rowspan size span src start style title type valign value width',
);

/**
 * Returns the markup with only the elements, attributes and addresses of an allowlist, or null if it expands beyond the
 * limits.
 *
 * Chrome takes the templates of a PDF as text and parses them again, so a second parser must not find more than the
 * first (mutation XSS). So the result has no foreign content (SVG becomes a picture) and no raw text except `style`
 * without `<`, and it is sanitized again until parsing changes nothing. DOMPurify would need the same lists, and does
 * not filter style rules. Runs in the page.
 */
export function neutralMarkup(markup: string, limits: Limits): string | null {
  let text: string | null = markup;
  for (let round = 0; round < MAX_ROUNDS && text !== null; round++) {
    const before: string = text;
    text = neutral(before, limits);
    if (text === before) return text;
  }
  return null;
}

/** Uses this parser, because a page may forbid the older parsers by Trusted Types, in our isolated world as well. */
export function parseMarkup(text: string): Document {
  const parseHTML: unknown = Reflect.get(Document, 'parseHTML');
  if (typeof parseHTML !== 'function') return new DOMParser().parseFromString(text, 'text/html');
  const parsed: unknown = parseHTML.call(Document, text, { sanitizer: {} });
  return parsed instanceof Document ? parsed : new DOMParser().parseFromString(text, 'text/html');
}

/** Decodes letters that are hidden in escapes first. */
function neutralStyle(css: string): string {
  return css
    .replaceAll(/\\([\da-f]{1,6})\s?/gi, (escape: string, digits: string) => {
      const character = String.fromCharCode(Number.parseInt(digits, 16) % 0x1_00_00);
      return /^[a-z@(-]$/i.test(character) ? character : escape;
    })
    .replaceAll(/\\([g-z@(-])/gi, '$1')
    .replaceAll(/@(?=import)/gi, '@not-')
    .replaceAll(/(url|src)\((?!\s*["']?\s*(data:|#))/gi, 'none(')
    .replaceAll(/image-set\(/gi, 'none(')
    .replaceAll('<', '');
}

function valueOf(element: string, name: string, value: string): string | undefined {
  if (name === 'style') return neutralStyle(value);
  if (name === 'href') return element === 'a' && /^\s*(https?:|mailto:|#)/i.test(value) ? value : undefined;
  if (name === 'src') return element === 'img' && /^\s*data:image\//i.test(value) ? value : undefined;
  return ATTRIBUTES.has(name) || /^aria-[a-z]+$/.test(name) ? value : undefined;
}

function copyAttributes(from: Element, to: Element): void {
  for (const { name, value } of from.attributes) {
    const kept = valueOf(to.localName, name, value);
    if (kept !== undefined) to.setAttribute(name, kept);
  }
}

/** Pictures run no script and load nothing. */
function asPicture(svg: Element, copy: Document): Element {
  const picture = copy.createElement('img');
  copyAttributes(svg, picture);
  picture.setAttribute(
    'src',
    `data:image/svg+xml,${encodeURIComponent(new XMLSerializer().serializeToString(svg).toWellFormed())}`,
  );
  return picture;
}

function copyChildren(from: Element, to: Element, copy: Document): void {
  for (const node of read(Node.prototype, from, 'childNodes')) {
    if (node.nodeType === Node.TEXT_NODE) to.append(node.nodeValue ?? '');
    if (!(node instanceof Element) || DROPPED.has(node.localName)) continue;
    if (node.localName === 'svg') to.append(asPicture(node, copy));
    else if (!ELEMENTS.has(node.localName)) copyChildren(node, to, copy);
    else {
      const made = copy.createElement(node.localName);
      copyAttributes(node, made);
      if (node.localName === 'img' && made.getAttribute('src') === null) continue; // it would be a broken picture
      if (node.localName === 'style') made.textContent = neutralStyle(node.textContent);
      else copyChildren(node, made, copy);
      to.append(made);
    }
  }
}

/**
 * Detects unclosed inline elements, which a parser opens again in each following block. Checked before parsing,
 * because that may take a minute (Chromium 156).
 */
function mayUnfold(text: string, maxElements: number): boolean {
  const names = '(?:a|b|big|code|em|font|i|nobr|s|small|strike|strong|tt|u)(?=[\\s/>])';
  const countOf = (tag: string): number => text.match(new RegExp(tag, 'gi'))?.length ?? 0;
  return (countOf(`<${names}`) - countOf(`</${names}`)) * countOf('<[a-z]') > maxElements;
}

function neutral(text: string, { maxElements, maxLength }: Limits): string | null {
  if (mayUnfold(text, maxElements)) return null;
  const parsed = parseMarkup(text);
  const [head, body] = [read(Document.prototype, parsed, 'head'), read(Document.prototype, parsed, 'body')];
  const root = read(Document.prototype, parsed, 'documentElement');
  if (root.querySelectorAll('*').length > maxElements) return null;
  const copy = document.implementation.createHTMLDocument('');
  // Uses blocks instead of body and root, because the parser would drop the tags of body and root.
  let into: Element = copy.body;
  for (const element of [root, body]) {
    const block = copy.createElement('div');
    copyAttributes(element, block);
    if (block.attributes.length === 0) continue;
    into.append(block);
    into = block;
  }
  const rules = copy.createElement('div');
  copyChildren(head, rules, copy);
  copyChildren(body, into, copy);
  const made = rules.innerHTML + copy.body.innerHTML;
  return made.length > maxLength ? null : made;
}
