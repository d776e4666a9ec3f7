import { z } from 'zod';

const MAX_LENGTH = 1_000;
const RANGE = /^(\d{1,9})(-(\d{1,9})?)?$/; // nine digits: the largest number that Chrome accepts
const FORM_ERROR = `must be pages and ranges from 1 on, such as 1-3,5,8-, at most ${MAX_LENGTH} characters`;

/**
 * Page numbers and ranges, with optional spaces. Parsed to the format of Chrome. Pages keep the order of the document,
 * each once.
 */
export const pageRanges = z
  .string({ error: FORM_ERROR })
  .max(MAX_LENGTH, { error: FORM_ERROR })
  .transform((text, context) => {
    const ranges = text.split(',').map((range) => range.trim().replace(/ *- */, '-'));
    for (const range of ranges) {
      const problem = problemOf(range);
      if (problem === undefined) continue;
      context.addIssue({ code: 'custom', message: problem, input: text });
      return z.NEVER;
    }
    return ranges.join();
  });

function problemOf(range: string): string | undefined {
  const [, first, dash, last] = RANGE.exec(range) ?? [];
  if (first === undefined || Number(first) === 0) return FORM_ERROR;
  if (dash === undefined || last === undefined || Number(first) <= Number(last)) return undefined;
  return `must not have a range that runs backwards, such as ${range}`;
}

/**
 * Returns the number of pages that the document needs so that each range starts inside it. Chrome silently drops ranges
 * beyond the last page if another range is valid.
 */
export function leastPages(ranges: string): number {
  const sorted = ranges
    .split(',')
    .map((range) => {
      const [first = '', last = first] = range.split('-');
      return { first: Number(first), last: last === '' ? Infinity : Number(last) };
    })
    .toSorted((a, b) => a.first - b.first);
  const furthest = sorted.at(-1)?.first ?? 0;
  let pages = 0;
  let counted = 0; // last counted page
  for (const { first, last } of sorted) {
    const end = Math.min(last, furthest);
    pages += Math.max(end - Math.max(first - 1, counted), 0);
    counted = Math.max(counted, end);
  }
  return pages;
}
