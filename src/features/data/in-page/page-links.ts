import { all, attribute, first, nameOf, parentElementOf, read } from '../../../core/steps/in-page/nodes.ts';
import { rootsOf } from '../../../core/steps/in-page/roots-of.ts';
import { addressResolver } from '../../markdown/in-page/address-resolver.ts';
import type { PartTaken } from './take-parts.ts';

export interface LinkBounds {
  readonly maxEntries: number;
  /** Maximum characters of a link's text. */
  readonly maxTextLength: number;
  /** Maximum characters read in total: links can contain each other. */
  readonly maxReadLength: number;
}

/**
 * Returns the links of the page in document order with absolute addresses, including same-origin frames and open shadow
 * trees. Runs in the page.
 */
export function pageLinks({ maxEntries, maxTextLength, maxReadLength }: LinkBounds): PartTaken {
  let left = maxReadLength;
  /** Their content is not readable text: noscript contains lazy pictures, links can contain styles. */
  const unread = new Set(['script', 'style', 'noscript']);
  const textOf = (element: Element): string => {
    const enough = 20 * maxTextLength; // including white space
    const walker = Document.prototype.createTreeWalker.call(document, element, NodeFilter.SHOW_TEXT);
    let text = '';
    while (left > 0 && text.length < enough && walker.nextNode() !== null) {
      left--;
      const node = walker.currentNode;
      const parent = parentElementOf(node);
      if (parent !== null && unread.has(nameOf(parent))) continue;
      const piece = (read(Node.prototype, node, 'nodeValue') ?? '').slice(0, enough);
      left -= piece.length;
      text += piece;
    }
    return text.slice(0, enough).replaceAll(/\s+/g, ' ').trim().slice(0, maxTextLength);
  };

  const entries: { readonly url: string; readonly text: string }[] = [];
  for (const root of rootsOf()) {
    const resolve = addressResolver(read(Node.prototype, root, 'baseURI'));
    for (const element of all(root, 'a, area')) {
      const address = attribute(element, 'href') ?? attribute(element, 'xlink:href');
      const url = address === null ? undefined : resolve(address, { isPicture: false });
      if (url === undefined) continue;
      if (entries.length >= maxEntries) return { value: { entries, truncated: true } };
      const text = textOf(element);
      const shown = text === '' ? labelOf(element) : text;
      entries.push({ url, text: shown.slice(0, maxTextLength).toWellFormed() });
    }
  }
  return { value: { entries, ...(left <= 0 && { truncated: true }) } };
}

/** Returns what a link without text is called, such as the alternative text of its picture. */
function labelOf(link: Element): string {
  const picture = first(link, 'img[alt]:not([alt=""])');
  const labels = [attribute(link, 'aria-label'), attribute(link, 'alt'), picture && attribute(picture, 'alt')];
  return labels.find((label) => label !== null && label.trim() !== '')?.trim() ?? '';
}
