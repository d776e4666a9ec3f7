import {
  type DefaultTreeAdapterTypes,
  defaultTreeAdapter as tree,
  html,
  parse,
  parseFragment,
  serialize,
  serializeOuter,
} from 'parse5';
import { SHEET, WRITTEN } from './kept-attributes.ts';
import { isDocument, readMhtml, type SavedPart, textOf } from './read-mhtml.ts';
import { rewriteCss } from './rewrite-css.ts';
import { addAtEnd, type Inliner, isTemplate, rewriteElement } from './rewrite-element.ts';

type Node = DefaultTreeAdapterTypes.Node;
type Element = DefaultTreeAdapterTypes.Element;

/** Blocks scripts and requests in the file, in case the rewriting missed one. */
const POLICY =
  "default-src 'none'; img-src data:; media-src data:; font-src data:; style-src 'unsafe-inline' data:; frame-src data:; object-src data:";
/** The serializer leaves out identifiers, on which the mode of the layout depends. */
const DOCTYPES = {
  [html.DOCUMENT_MODE.NO_QUIRKS]: '<!DOCTYPE html>',
  [html.DOCUMENT_MODE.LIMITED_QUIRKS]:
    '<!DOCTYPE html PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN" "http://www.w3.org/TR/html4/loose.dtd">',
  [html.DOCUMENT_MODE.QUIRKS]: '',
};
const ROOT_WITHIN = 5_000;
const NOTHING = 'data:,';
const MAX_DEPTH = 8; // of frames in frames, and of style sheets that import others

/** The file is larger than allowed. */
export class FileTooLargeError extends Error {
  override readonly name = 'FileTooLargeError';
}

/**
 * Converts a page that Chrome has saved (MHTML) to one HTML file that needs nothing else.
 * @param unsaved what the page has loaded, and the saved page lacks
 * @throws FileTooLargeError; Error for a file that is not built as Chrome writes it
 */
export function bundle(mhtml: Buffer, unsaved: readonly SavedPart[], maxBytes: number): Buffer {
  const [page, ...others] = readMhtml(mhtml);
  if (page === undefined) throw new Error('The saved page is empty');
  const file = new Bundler([page, ...others, ...unsaved], maxBytes).document(page, 0);
  const bytes = Buffer.from(file, 'utf8');
  if (bytes.length > maxBytes) throw new FileTooLargeError('the file is too large');
  return bytes;
}

class Bundler {
  readonly #parts = new Map<string, SavedPart>();
  readonly #data = new Map<SavedPart, string>();
  readonly #drawings = new Map<SavedPart, ReadonlyMap<string, Element>>();
  #left: number;

  constructor(parts: readonly SavedPart[], maxBytes: number) {
    this.#left = maxBytes;
    for (const part of parts) {
      if (part.address !== undefined && !this.#parts.has(part.address)) this.#parts.set(part.address, part);
      if (part.id !== undefined) this.#parts.set(`cid:${part.id}`, part);
      const frame = isDocument(part) ? frameOfWritten(part) : undefined;
      if (frame !== undefined) this.#parts.set(`${WRITTEN}:${frame}`, part);
    }
  }

  /** Returns the markup of a document. */
  document(part: SavedPart, depth: number): string {
    const markup = textOf(part);
    const parsed = parse(markup);
    for (const node of parsed.childNodes.filter((each) => tree.isDocumentTypeNode(each))) tree.detachNode(node);
    const inliner = this.#inlinerOf(baseOf(parsed, part.address), depth, markup.includes(SHEET));
    const waiting: Node[] = [...parsed.childNodes];
    for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
      if (!tree.isElementNode(node)) continue;
      if (!rewriteElement(node, inliner)) {
        tree.detachNode(node);
        continue;
      }
      waiting.push(...(isTemplate(node) ? node.content.childNodes : node.childNodes));
    }
    const head = headOf(parsed);
    if (head !== undefined) addAtEnd(head);
    if (head !== undefined && depth === 0) prependMetas(head);
    const isOfSrcdoc = part.address === undefined; // never in quirks mode
    return DOCTYPES[isOfSrcdoc ? html.DOCUMENT_MODE.NO_QUIRKS : parsed.mode] + serialize(parsed);
  }

  /**
   * @param base address by which the document resolves others
   * @param hasSheets whether the sheets of style elements are in links of ours, beside those of Chrome
   */
  #inlinerOf(base: string | undefined, depth: number, hasSheets: boolean): Inliner {
    const resolve = (address: string): string => {
      if (address.startsWith('cid:') || address.startsWith(WRITTEN)) return address;
      return URL.parse(address, base)?.href ?? address;
    };
    const partOf = (address: string): SavedPart | undefined => {
      const resolved = resolve(address);
      return this.#parts.get(resolved) ?? this.#parts.get(resolved.split('#', 1)[0] ?? '');
    };
    return {
      dataOf: (address) => {
        if (/^data:/i.test(address)) return address;
        const part = partOf(address);
        return part === undefined ? undefined : `${this.#spent(this.#dataOf(part))}${hashOf(address)}`;
      },
      cssOf: (css) => this.#css(css, base, depth),
      sheetOf: (address) => {
        const written = cssInData(address);
        if (written !== undefined) return this.#css(written, base, depth);
        const part = partOf(address);
        if (part === undefined || (hasSheets && address.startsWith('cid:css-'))) return undefined;
        const from = part.address === undefined || part.address.startsWith('cid:') ? base : part.address;
        return this.#css(textOf(part), from, depth);
      },
      frameOf: (address) => {
        const part = partOf(address);
        if (part === undefined || depth === MAX_DEPTH || !isDocument(part)) return undefined;
        return this.#spent(this.document(part, depth + 1));
      },
      drawingOf: (address) => {
        const part = partOf(address);
        const found = part === undefined ? undefined : this.#drawingsOf(part).get(hashOf(address).slice(1));
        if (found === undefined) return undefined;
        // A drawing that uses itself would grow without end.
        const markup = this.#spent(serializeOuter(found)).replaceAll(/<(\/?)use\b/g, '<$1g');
        const [drawing] = parseFragment(`<svg>${markup}</svg>`).childNodes;
        return drawing !== undefined && tree.isElementNode(drawing)
          ? drawing.childNodes.find((node) => tree.isElementNode(node))
          : undefined;
      },
      placeOf: (address) => {
        if (base === undefined || !address.includes('#')) return undefined;
        const resolved = resolve(address);
        return resolved.split('#', 1)[0] === base.split('#', 1)[0] ? hashOf(resolved) : undefined;
      },
    };
  }

  #css(css: string, base: string | undefined, depth: number): string {
    return rewriteCss(css, (address) => {
      if (/^(?:#|data:)/i.test(address)) return address;
      const resolved = URL.parse(address, base?.startsWith('cid:') === true ? undefined : base)?.href ?? address;
      const part = this.#parts.get(resolved) ?? this.#parts.get(resolved.split('#', 1)[0] ?? '');
      if (part === undefined)
        return base !== undefined && resolved.startsWith(`${base.split('#', 1)[0]}#`) ? hashOf(resolved) : NOTHING;
      if (part.type !== 'text/css') return `${this.#spent(this.#dataOf(part))}${hashOf(address)}`;
      if (depth === MAX_DEPTH) return NOTHING;
      const imported = this.#css(textOf(part), part.address, depth + 1);
      return this.#spent(`data:text/css;base64,${Buffer.from(imported, 'utf8').toString('base64')}`);
    });
  }

  /** Returns the elements of a drawing by their ids. */
  #drawingsOf(part: SavedPart): ReadonlyMap<string, Element> {
    const known = this.#drawings.get(part);
    if (known !== undefined) return known;
    const found = new Map<string, Element>();
    this.#drawings.set(part, found);
    if (part.type !== 'image/svg+xml') return found;
    const waiting: Node[] = [...parseFragment(part.body.toString('utf8')).childNodes];
    for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
      if (!tree.isElementNode(node)) continue;
      const id = node.attrs.find(({ name }) => name === 'id')?.value;
      if (id !== undefined && !found.has(id)) found.set(id, node);
      waiting.push(...node.childNodes.toReversed());
    }
    return found;
  }

  #dataOf(part: SavedPart): string {
    const known = this.#data.get(part);
    if (known !== undefined) return known;
    const data = `data:${part.type};base64,${part.body.toString('base64')}`;
    this.#data.set(part, data);
    return data;
  }

  /** Counts a text: a file may be shown a thousand times. */
  #spent(text: string): string {
    this.#left -= text.length;
    if (this.#left < 0) throw new FileTooLargeError('the file is too large');
    return text;
  }
}

/** Returns the number of the frame into which a script has written a document. */
function frameOfWritten({ body }: SavedPart): string | undefined {
  const start = body.toString('latin1', 0, ROOT_WITHIN);
  const root = start.slice(0, start.indexOf('>', start.indexOf('<html')));
  return new RegExp(` ${WRITTEN}="(\\d+)"`).exec(root)?.[1];
}

function hashOf(address: string): string {
  const at = address.indexOf('#');
  return at === -1 ? '' : address.slice(at);
}

/** Returns the text of a `data:` address of a style sheet. Undefined for other addresses. */
function cssInData(address: string): string | undefined {
  const [, isBase64, text] = /^data:text\/css(?:;charset=utf-8)?(;base64)?,([^]*)$/i.exec(address) ?? [];
  if (text === undefined) return undefined;
  if (isBase64 !== undefined) return Buffer.from(text, 'base64').toString('utf8');
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function headOf({ childNodes }: DefaultTreeAdapterTypes.Document): Element | undefined {
  const root = childNodes.find((node) => tree.isElementNode(node));
  return root?.childNodes.find((node): node is Element => tree.isElementNode(node) && node.tagName === 'head');
}

/** Names the encoding and the policy. Frames inherit the policy. */
function prependMetas(head: Element): void {
  const metas = [
    [{ name: 'charset', value: 'utf-8' }],
    [
      { name: 'http-equiv', value: 'Content-Security-Policy' },
      { name: 'content', value: POLICY },
    ],
  ];
  for (const attributes of metas.toReversed()) {
    const meta = tree.createElement('meta', html.NS.HTML, attributes);
    const [first] = head.childNodes;
    if (first === undefined) tree.appendChild(head, meta);
    else tree.insertBefore(head, meta, first);
  }
}

/** Returns the address by which a document resolves others: that of its first `base`, or its own. */
function baseOf(document: DefaultTreeAdapterTypes.Document, address: string | undefined): string | undefined {
  const base = elementsOf(headOf(document)).find(
    ({ tagName, attrs }) => tagName === 'base' && hrefOf(attrs) !== undefined,
  );
  const href = base === undefined ? undefined : hrefOf(base.attrs);
  return href === undefined ? address : (URL.parse(href, address)?.href ?? address);
}

function elementsOf(parent: Element | undefined): readonly Element[] {
  return parent?.childNodes.filter((node) => tree.isElementNode(node)) ?? [];
}

function hrefOf(attributes: Element['attrs']): string | undefined {
  return attributes.find(({ name }) => name === 'href')?.value;
}
