import { z } from 'zod';

const MAX_LENGTH = 1_000;
const RANGE = /^(\d{1,9})(-(\d{1,9})?)?$/; // nine digits: what the browser counts with
const FORM_ERROR = `must be pages and ranges from 1 on, such as 1-3,5,8-, at most ${MAX_LENGTH} characters`;

/** Pages by number, with blanks where people put them; parsed to what the browser reads. Pages come in their order, each once. */
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
  return `must not run backwards, as ${range} does`;
}

/**
 * How many pages there must be of a document in which each of the ranges begins: Chrome leaves out those that begin past its end, as
 * long as one does not.
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
  let counted = 0; // up to this page
  for (const { first, last } of sorted) {
    const end = Math.min(last, furthest);
    pages += Math.max(end - Math.max(first - 1, counted), 0);
    counted = Math.max(counted, end);
  }
  return pages;
}
