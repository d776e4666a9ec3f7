import { setForPicture } from '../../../in-page/for-picture.ts';
import { attribute, isConnected, isElement, read, typeOf } from '../../../in-page/nodes.ts';
import type { Seen } from './seen-part.ts';

// Gives parts back what the page took from them when they left the window.

/** Nodes of a part that are put back at most. */
const MOST_NODES = 100;
/** Characters of an attribute that are compared. */
const MOST_LENGTH = 10_000;

/**
 * Gives a part the content with which it was seen, if the page has put back what was there before, nothing or a
 * placeholder. `before` is the markup of that. What the page itself holds in place, as dialogs, does not come back.
 */
export function restoreContent(part: Element, { content, holdsWindow }: Seen, before: string): void {
  if (content.length === 0 || content.length > MOST_NODES || content.some(isConnected) || holdsWindow) return;
  const now = markupOf([...read(Node.prototype, part, 'childNodes')]);
  if (now.trim() === '' || now === before) part.replaceChildren(...content);
}

/** Returns the beginning of the markup of nodes, without comments. */
export function markupOf(nodes: readonly Node[]): string {
  let markup = '';
  for (const node of nodes.slice(0, MOST_NODES)) {
    if (isElement(node)) markup += read(Element.prototype, node, 'outerHTML');
    else if (typeOf(node) === Node.TEXT_NODE) markup += node.nodeValue ?? '';
    if (markup.length > MOST_LENGTH) break;
  }
  return markup.slice(0, MOST_LENGTH);
}

/**
 * Returns the attributes with which a part was seen, if they are again what they were before: a class, a style or a
 * picture that the page sets only while the part is in the window. What has changed further stays: a picture that has
 * arrived late.
 */
export function attributesTakenBack(
  part: Element,
  { attributes }: Seen,
  before: ReadonlyMap<string, string | null> | undefined,
): readonly (readonly [name: string, seen: string | null])[] {
  return [...(before ?? [])].flatMap(([name, old]) => {
    const seen = attributes.get(name) ?? null;
    const was = plain(name, old);
    return plain(name, attribute(part, name)) === was && plain(name, seen) !== was ? [[name, seen] as const] : [];
  });
}

/** Gives a part attributes. Null: it has none of that name. */
export function restoreAttributes(part: Element, attributes: readonly (readonly [string, string | null])[]): void {
  for (const [name, seen] of attributes) {
    setForPicture(part, name, seen ?? '');
    if (seen === null) Element.prototype.removeAttribute.call(part, name);
  }
}

/** Without what scripts write otherwise than markup: the spaces and zeros of a style, and an empty class for none. */
function plain(name: string, value: string | null): string | null {
  if (name !== 'style' && name !== 'class') return value;
  const short = (value ?? '').slice(0, MOST_LENGTH).replaceAll(/\s/g, '');
  return name === 'class' ? short : short.replaceAll(':0px', ':0').replace(/;$/, '');
}
