/** Where a page ends: the node of the document, and the offset in its text. */
export interface BreakToken {
  readonly node: Node;
  readonly offset: number;
}

/**
 * Returns the exact place at which a page breaks inside of a text. The library looks for the text itself, and takes an
 * equal one before it for the place: the rest of the document would be lost. Undefined if the place is not known
 * better.
 * @param start where the page begins
 */
export function exactBreak(overflow: Range, start: BreakToken | undefined, source: ParentNode): BreakToken | undefined {
  const { startContainer } = overflow;
  const isInside = startContainer instanceof Text;
  const text = isInside ? startContainer : startContainer.childNodes[overflow.startOffset];
  const startOffset = isInside ? overflow.startOffset : 0;
  const parent = text?.parentElement ?? null;
  if (!(text instanceof Text) || parent === null) return undefined;
  const reference = parent.getAttribute('data-ref');
  const original = reference === null ? null : source.querySelector(`[data-ref="${CSS.escape(reference)}"]`);
  if (original === null) return undefined;
  const siblings = Array.from(original.childNodes);
  const begins = siblings.findIndex((node) => start !== undefined && node.contains(start.node));
  const first = Math.max(begins, 0);
  const at = Array.from(parent.childNodes).indexOf(text);
  const node = siblings[first + at];
  if (!(node instanceof Text)) return undefined;
  const skipped = node === start?.node ? start.offset : 0;
  const offset = skipped + startOffset;
  const isSame = node.data.slice(skipped, offset) === text.data.slice(0, startOffset);
  return isSame ? { node, offset } : undefined;
}
