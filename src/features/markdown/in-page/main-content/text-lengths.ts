// Where the text of a page is, by its length.

/** Returns the length of the own texts of these elements, for them and for all elements around them. */
export function lengthsBelow(leaves: readonly Element[]): Map<Element, number> {
  const lengths = new Map<Element, number>();
  for (const leaf of leaves) {
    let own = 0;
    for (const node of leaf.childNodes)
      if (node.nodeType === Node.TEXT_NODE) own += (node.nodeValue ?? '').trim().length;
    for (let outer: Element | null = leaf; outer !== null; outer = outer.parentElement)
      lengths.set(outer, (lengths.get(outer) ?? 0) + own);
  }
  return lengths;
}

/** Returns the smallest element inside of this one that has a share of its text. */
export function smallestWith(start: Element, lengths: ReadonlyMap<Element, number>, share: number): Element {
  const least = (lengths.get(start) ?? 0) * share;
  let smallest = start;
  for (;;) {
    const inner = [...smallest.children].find(
      (child) => (lengths.get(child) ?? 0) >= least && (lengths.get(child) ?? 0) > 0,
    );
    if (inner === undefined) return smallest;
    smallest = inner;
  }
}
