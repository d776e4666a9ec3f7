/**
 * Returns the text of an element, one paragraph per block, for pages that are too large for markdown. Does not recurse.
 * Runs in the page, on a copy.
 */
export function plainText(root: Element): string {
  const isBlock =
    /^(ADDRESS|ARTICLE|ASIDE|BLOCKQUOTE|BR|CENTER|D[DLT]|DIR|DIV|FIELDSET|FIG\w+|FOOTER|H[1-6R]|HEADER|HGROUP|LI|MAIN|MENU|NAV|OL|P|PRE|SECTION|T\w+|UL|CAPTION)$/;
  const parts: string[] = [];
  const walker = root.ownerDocument.createTreeWalker(root, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    if (node.nodeType === Node.TEXT_NODE) parts.push((node.nodeValue ?? '').replaceAll(/\s+/g, ' '));
    else if (isBlock.test(node.nodeName)) parts.push('\n\n');
  }
  return parts
    .join('')
    .replaceAll(/ *\n[\n ]*/g, '\n\n')
    .trim();
}
