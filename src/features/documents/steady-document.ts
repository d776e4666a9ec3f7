import { MOMENT_MS } from '../reproducible/moment.ts';
import type { PdfFile } from './pdf-file.ts';

/** Dates of the document information, each on a line of its own: line breaks inside of texts are escaped. */
const DATES = /(?<=^(?:<<)?\/(?:CreationDate|ModDate) \(D:)\d{14}/gm;
/** Identifiers of the structure, which have the numbers of elements in the process of the page. */
const NODE = '(node';
const BACKSLASH = 0x5c;
const PARENTHESIS = 0x29;
const DIGITS = 8;

/**
 * Overwrites what differs each time that the same page is printed: dates and identifiers. Changes the bytes in place.
 */
export function steadyDocument(body: Buffer, file: PdfFile): void {
  steadyDates(body, file);
  const places = [...placesOf(body)];
  const numbers = [...new Set(places.map(({ number }) => number))].toSorted();
  const ranks = new Map(numbers.map((number, rank) => [number, String(rank).padStart(DIGITS, '0')]));
  for (const { at, number } of places) body.write(ranks.get(number) ?? number, at, 'latin1');
}

function steadyDates(body: Buffer, { info, offsetOf, objectText }: PdfFile): void {
  if (info === undefined) return;
  const date = new Date(MOMENT_MS).toISOString().replaceAll(/\D/g, '').slice(0, 'YYYYMMDDHHMMSS'.length);
  const startsAt = body.indexOf('<<', offsetOf(info), 'latin1');
  const text = objectText(info);
  const shift = startsAt - text.indexOf('<<');
  for (const { index } of text.matchAll(DATES)) body.write(date, shift + index, 'latin1');
}

function* placesOf(body: Buffer): Generator<{ readonly at: number; readonly number: string }> {
  for (let at = body.indexOf(NODE, 0, 'latin1'); at !== -1; at = body.indexOf(NODE, at + 1, 'latin1')) {
    const from = at + NODE.length;
    const number = body.toString('latin1', from, from + DIGITS);
    // Texts of the page have parentheses with a backslash.
    const isText = body[at - 1] === BACKSLASH || body[from + DIGITS] !== PARENTHESIS;
    if (!isText && /^\d{8}$/.test(number)) yield { at: from, number };
  }
}
