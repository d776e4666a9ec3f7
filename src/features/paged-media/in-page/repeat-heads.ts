/** Repeats the head of a table above the rest of it on the next page. */
export function repeatHeads(content: DocumentFragment): {
  readonly renderNode: (node: Node) => void;
  readonly addedCharacters: () => number;
} {
  let added = 0;
  return {
    renderNode: (node) => {
      const row = node instanceof Element ? node.closest('tr') : null;
      const table = row?.closest('table[data-split-from]');
      if (row === null || table === null || table === undefined) return;
      if (table.querySelector(':scope > thead') !== null || row.closest('thead, tfoot') !== null) return;
      const reference = table.getAttribute('data-ref') ?? '';
      const source = content.querySelector(`[data-ref="${CSS.escape(reference)}"]`);
      const head = source?.querySelector(':scope > thead')?.cloneNode(true);
      if (!(head instanceof Element)) return;
      for (const each of [head, ...Array.from(head.querySelectorAll('[id]'))]) each.removeAttribute('id');
      added += (head.textContent ?? '').replaceAll(/\s/g, '').length;
      table.prepend(head);
    },
    addedCharacters: () => added,
  };
}
