import type { PdfWord } from '../pdf-contents.ts';

/** A rectangle in points from the upper left corner. */
export interface Area {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** Words beside each other without a gap that a reader would take for the space between columns. */
export interface Segment extends Area {
  readonly words: readonly PdfWord[];
  /** Size of most of its letters in points. */
  readonly size: number;
}

/** Gap that separates columns and cells, in sizes of the text. A justified line has gaps of up to one. */
const COLUMN_GAP = 1.6;
/** Begins the item of a list. */
export const MARKER = /^(?:[•◦▪‣●○■□–·*-]|\(?\d{1,2}[.)]|\(?[a-z][.)])$/u;
/** Gap after the marker of an item at most, in sizes of the text. */
const MARKER_GAP = 4;
/** Share of the lower height that two words of one line have in common. */
const SAME_LINE = 0.5;

/** Joins words that follow each other on a line. Keeps their order. Takes time that grows with their number only. */
export function segmentsOf(words: readonly PdfWord[]): Segment[] {
  const groups: PdfWord[][] = [];
  for (const word of words) {
    const last = groups.at(-1);
    const before = last?.at(-1);
    if (last !== undefined && before !== undefined && follows(before, word, last.length === 1)) last.push(word);
    else groups.push([word]);
  }
  return groups.map(segmentOf);
}

/** Returns the words as one segment. */
export function segmentOf(words: readonly PdfWord[]): Segment {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  const letters = new Map<number, number>();
  for (const { x, y, width, height, size, text } of words) {
    left = Math.min(left, x);
    top = Math.min(top, y);
    right = Math.max(right, x + width);
    bottom = Math.max(bottom, y + height);
    letters.set(size, (letters.get(size) ?? 0) + text.length);
  }
  const [[size] = [0]] = [...letters].toSorted(([, a], [, b]) => b - a);
  return { words, left, top, right, bottom, size };
}

/** True if two areas lie beside each other on one line. */
export function areOnLine(one: Pick<Area, 'top' | 'bottom'>, other: Pick<Area, 'top' | 'bottom'>): boolean {
  const common = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top);
  return common > SAME_LINE * Math.min(one.bottom - one.top, other.bottom - other.top);
}

function follows(before: PdfWord, word: PdfWord, isSecond: boolean): boolean {
  const isLevel = areOnLine(
    { top: before.y, bottom: before.y + before.height },
    { top: word.y, bottom: word.y + word.height },
  );
  if (!isLevel) return false;
  const size = Math.max(before.size, word.size, 1);
  const gap = Math.max(word.x - (before.x + before.width), before.x - (word.x + word.width)); // in both directions
  const most = isSecond && MARKER.test(before.text) ? MARKER_GAP : COLUMN_GAP;
  return gap < most * size && gap > -size;
}
