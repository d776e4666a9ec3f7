/** Returns the boxes of a part of a text, one per line. Runs in the page. */
export function rectsOf(node: Node, start: number, stop: number): readonly DOMRect[] {
  const range = new Range();
  range.setStart(node, start);
  range.setEnd(node, stop);
  return [...range.getClientRects()];
}
