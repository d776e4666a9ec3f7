import { attribute, boxOf, computed, first, isRendered, read, setStyles } from '../../../core/steps/in-page/nodes.ts';
import { everywhere } from '../../../core/steps/in-page/roots-of.ts';

/** What a document for screen readers needs to know about a page. */
export interface ReadersView {
  /** Description of a link by its address. Links inside of the page begin with `#`. */
  readonly links: readonly (readonly [address: string, text: string])[];
  /** Content that Chrome prints without its text, or without tags: frames, and text under a filter. */
  readonly unreadable: 'frames' | 'filters' | undefined;
}

const FRAMES = 'iframe, frame, object, embed';

/**
 * Inspects the page for a document that screen readers read. Chrome leaves empty cells of tables out, and the next ones
 * would move to their columns: so each gets a blank that takes no room. Runs in the page.
 */
export function inspectForReaders({ maxText }: { readonly maxText: number }): ReadersView {
  const links = new Map<string, string>();
  for (const link of everywhere<HTMLAnchorElement | HTMLAreaElement>('a[href], area[href]')) {
    const written = attribute(link, 'href')?.trim() ?? '';
    const address = written.startsWith('#') ? decoded(written) : link.href;
    const text = textOfLink(link).replaceAll(/\s+/g, ' ').trim().slice(0, maxText);
    if (text !== '' && !links.has(address)) links.set(address, text);
  }
  fillEmptyCells();
  return { links: [...links], unreadable: hasFrames() ? 'frames' : hasFilteredText() ? 'filters' : undefined };
}

function fillEmptyCells(): void {
  for (const cell of everywhere<HTMLTableCellElement>('td, th')) {
    if (cell.childElementCount > 0 || /\S/.test(cell.textContent)) continue;
    const blank = document.createElement('span');
    blank.textContent = '\u00A0';
    setStyles(blank, { all: 'initial', display: 'block', 'font-size': '1px', 'line-height': '1px', height: '1px' });
    cell.append(blank);
  }
}

function textOfLink(link: Element): string {
  const label = attribute(link, 'aria-label');
  if (label !== null && label.trim() !== '') return label;
  const text = read(Node.prototype, link, 'textContent') ?? '';
  if (text.trim() !== '') return text;
  const named = first(link, '[alt]:not([alt=""]), [aria-label], svg title');
  return attribute(link, 'alt') ?? attribute(link, 'title') ?? (named === null ? '' : nameInside(named));
}

function decoded(place: string): string {
  try {
    return decodeURIComponent(place);
  } catch {
    return place; // a percent sign of its own
  }
}

function nameInside(named: Element): string {
  return attribute(named, 'alt') ?? attribute(named, 'aria-label') ?? named.textContent;
}

function hasFrames(): boolean {
  for (const frame of everywhere(FRAMES)) {
    const { width, height } = boxOf(frame);
    if (isRendered(frame) && width > 1 && height > 1) return true;
  }
  return false;
}

/** True if text is drawn through a filter, which makes a picture of it. */
function hasFilteredText(): boolean {
  for (const element of everywhere('*')) {
    const { filter } = computed(element);
    if (filter !== 'none' && filter !== '' && /\S/.test(element.textContent) && isRendered(element)) return true;
  }
  return false;
}
