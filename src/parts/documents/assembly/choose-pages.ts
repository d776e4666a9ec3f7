import { PartError } from './part-error.ts';
import type { SourceDocument, SourcePage } from './source-document.ts';

/** Which pages of an open document a part has, and how. */
export interface PartOptions {
  /** Numbers of its pages, from 1, as ranges such as `1-3,5,8-`. Undefined: all. */
  readonly pages?: string | undefined;
  /** Degrees by which its pages are turned clockwise. */
  readonly rotate?: number | undefined;
  /** Its bookmark. */
  readonly title?: string | undefined;
}

/** A part of a new document. */
export interface Part extends PartOptions {
  readonly source: SourceDocument;
}

/**
 * Returns the pages of a part in the order of the document, each once.
 * @param index of the part, for the error
 * @throws PartError for a range that begins after the last page
 */
export function choosePages({ source: { pages }, pages: ranges }: Part, index: number): readonly SourcePage[] {
  if (ranges === undefined) return pages;
  const chosen = pagesIn(ranges, pages.length, index);
  return pages.filter((_, at) => chosen.has(at));
}

/**
 * Returns the indices of the pages of ranges such as `1-3,5,8-`.
 * @throws PartError for a range that begins after the last page
 */
export function pagesIn(ranges: string, count: number, part: number): ReadonlySet<number> {
  const chosen = new Set<number>();
  for (const range of ranges.split(',')) {
    const [from = '', to = from] = range.split('-');
    const first = Number(from);
    if (first > count) throw new PartError(part, `has ${count} ${count === 1 ? 'page' : 'pages'}, so no page ${first}`);
    const last = Math.min(to === '' ? count : Number(to), count);
    for (let number = first; number <= last; number++) chosen.add(number - 1);
  }
  return chosen;
}
