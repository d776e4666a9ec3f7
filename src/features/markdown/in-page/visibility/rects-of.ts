/** Returns the boxes of a part of a text, one per line, without those of line breaks. Runs in the page. */
export function rectsOf(node: Node, start: number, stop: number): readonly DOMRect[] {
  const range = new Range();
  range.setStart(node, start);
  range.setEnd(node, stop);
  return [...range.getClientRects()].filter(({ width, height }) => width > 0 && height > 0);
}
