import { withoutChanges } from './for-picture.ts';
import { isShadow, read, rootElement } from './nodes.ts';
import { rootsOf } from './roots-of.ts';

/** Length in UTF-16 code units, as in JavaScript. */
export interface SourceBounds {
  /** Maximum length. Longer sources are not returned at all. */
  readonly maxLength: number;
  readonly partLength: number;
}

export interface SourcePart {
  /** Length of the whole source. */
  readonly length: number;
  readonly part: string;
}

/** Returns the beginning of a text without splitting a surrogate pair. */
export function cut(text: string, length: number): string {
  const isSplit = text.length > length && (text.charCodeAt(length - 1) & 0xfc00) === 0xd800;
  return text.slice(0, isSplit ? length - 1 : length);
}

/** Keeps a source for `sourcePart`, and returns its first part. */
export function keepSource(text: string, { maxLength, partLength }: SourceBounds): SourcePart {
  if (text.length > maxLength) return { length: text.length, part: '' };
  Object.assign(globalThis, { captureSource: text });
  return { length: text.length, part: sourcePart(0, partLength) ?? '' };
}

/**
 * Returns a part of a source that was too long for one answer. Null if the document was replaced. Runs in the isolated
 * world.
 */
export function sourcePart(start: number, partLength: number): string | null {
  const text: unknown = Reflect.get(globalThis, 'captureSource');
  if (typeof text !== 'string') return null;
  const part = cut(text.slice(start, start + partLength + 1), partLength);
  if (start + part.length >= text.length) Reflect.set(globalThis, 'captureSource', undefined);
  return part;
}

/** Returns the markup of the document with its doctype. */
export function documentMarkup(): string {
  const type = read(Document.prototype, document, 'doctype');
  const doctype = type === null ? '' : `${new XMLSerializer().serializeToString(type)}\n`;
  const root = rootElement();
  return doctype + (root === null ? '' : markupOf(root));
}

/** Returns the markup of elements as their scripts have made it, a line each, with open shadow trees as templates. */
export function markupOf(...elements: readonly Element[]): string {
  const shadowRoots = rootsOf().filter(isShadow).toArray();
  const markupOfOne = (element: Element): string => {
    if (shadowRoots.length === 0) return read(Element.prototype, element, 'outerHTML');
    const inner = Element.prototype.getHTML.call(element, { shadowRoots });
    const own = read(Element.prototype, Object(Node.prototype.cloneNode.call(element)), 'outerHTML');
    const end = own.lastIndexOf('</');
    return end === -1 ? own : own.slice(0, end) + inner + own.slice(end); // an element without content
  };
  return withoutChanges(() => elements.map(markupOfOne).join('\n'));
}
