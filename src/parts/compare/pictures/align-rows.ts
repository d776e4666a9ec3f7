import { hash } from 'node:crypto';
import { type Bitmap, rowsOf, wordsOf } from './bitmap.ts';

/** Rows from `from` up to `to`, without the last. */
export interface Rows {
  readonly from: number;
  readonly to: number;
}

/** Rows of both pictures that match each other. `before` is empty for added rows, `after` for removed ones. */
export interface Pair {
  readonly before: Rows;
  readonly after: Rows;
}

/**
 * Matches the rows of two pictures of the same width, so that inserted or removed rows move no others. Returns the
 * pairs that differ, from top to bottom; their sides can have different numbers of rows. Runs of rows that occur once
 * in both pictures anchor the others (patience diff).
 */
export function alignRows(before: Bitmap, after: Bitmap): readonly Pair[] {
  // Most rows of a long page are equal from one end, and comparing them takes a tenth of the time of hashing them.
  const between = betweenEqualRows(before, after);
  const [a, b] = [hashesOf(before, between.before), hashesOf(after, between.after)];
  return alignHashes(a, b).map((pair) => ({
    before: shifted(pair.before, between.before),
    after: shifted(pair.after, between.after),
  }));
}

function shifted(rows: Rows, by: Rows): Rows {
  return { from: rows.from + by.from, to: rows.to + by.from };
}

/** Returns the rows between those that are equal at the top and at the bottom of both pictures. */
export function betweenEqualRows(before: Bitmap, after: Bitmap): Pair {
  const common = Math.min(before.height, after.height);
  const areEqual = (row: number, otherRow: number): boolean =>
    Buffer.compare(rowsOf(before, row, row + 1), rowsOf(after, otherRow, otherRow + 1)) === 0;
  let from = 0;
  while (from < common && areEqual(from, from)) from++;
  let below = 0;
  while (below < common - from && areEqual(before.height - 1 - below, after.height - 1 - below)) below++;
  return { before: { from, to: before.height - below }, after: { from, to: after.height - below } };
}

function alignHashes(a: Int32Array, b: Int32Array): readonly Pair[] {
  const pairs: Pair[] = [];
  const open: Pair[] = [{ before: { from: 0, to: a.length }, after: { from: 0, to: b.length } }];
  // Not recursive: a page with 20,000 changed rows would need as many calls.
  for (let pair = open.pop(); pair !== undefined; pair = open.pop()) {
    const rest = trim(a, b, pair);
    if (isEmpty(rest.before) && isEmpty(rest.after)) continue;
    const anchors = isEmpty(rest.before) || isEmpty(rest.after) ? [] : findAnchors(a, b, rest);
    if (anchors.length === 0) pairs.push(rest);
    else open.push(...between(rest, anchors).toReversed()); // the topmost is the next
  }
  return pairs;
}

/** Returns a key for the rows between those of one colour: how many of these count as added or removed is chance. */
export function keyOfRows(picture: Bitmap, { from, to }: Rows): string {
  const isPlain = (row: number): boolean => {
    const words = wordsOf(rowsOf(picture, row, row + 1));
    return words.every((word) => word === words[0]);
  };
  let [first, end] = [from, to];
  while (first < end && isPlain(first)) first++;
  while (end > first && isPlain(end - 1)) end--;
  return hash('sha1', hashesOf(picture, first < end ? { from: first, to: end } : { from, to }), 'base64');
}

/** Returns a hash of each row. */
function hashRows({ width, height, pixels }: Bitmap): Int32Array {
  const words = new Int32Array(pixels.buffer, pixels.byteOffset, width * height);
  const hashes = new Int32Array(height);
  for (let y = 0, at = 0; y < height; y++) {
    let [one, two] = [0x811c9dc5, 0];
    for (const end = at + width; at < end; at++) {
      const word = words[at] ?? 0;
      one = Math.imul(one ^ word, 0x01000193);
      two = (two + word) ^ (one >>> 15);
    }
    hashes[y] = one ^ Math.imul(two, 0x85ebca6b);
  }
  return hashes;
}

/** Returns the number of rows. */
export function countOf({ from, to }: Rows): number {
  return to - from;
}

function isEmpty({ from, to }: Rows): boolean {
  return from === to;
}

/** Removes equal rows at both ends. */
function trim(a: Int32Array, b: Int32Array, { before, after }: Pair): Pair {
  let [from, otherFrom, to, otherTo] = [before.from, after.from, before.to, after.to];
  while (from < to && otherFrom < otherTo && a[from] === b[otherFrom]) {
    from++;
    otherFrom++;
  }
  while (to > from && otherTo > otherFrom && a[to - 1] === b[otherTo - 1]) {
    to--;
    otherTo--;
  }
  return { before: { from, to }, after: { from: otherFrom, to: otherTo } };
}

type Anchor = readonly [before: number, after: number];

/** Returns runs that occur once on both sides, in the same order on both: the longest such list. */
function findAnchors(a: Int32Array, b: Int32Array, { before, after }: Pair): readonly Anchor[] {
  const [ofBefore, ofAfter] = [uniqueRuns(a, before), uniqueRuns(b, after)];
  const candidates: Anchor[] = [];
  for (const [hash, row] of ofBefore) {
    const other = ofAfter.get(hash);
    if (row >= 0 && other !== undefined && other >= 0) candidates.push([row, other]);
  }
  candidates.sort(([one], [two]) => one - two);
  return longestRising(candidates);
}

/**
 * First row of each run of equal rows, by hash and length: a line of text has different rows, a bar or a border equal
 * ones. -1 if several runs are equal.
 */
function uniqueRuns(hashes: Int32Array, { from, to }: Rows): ReadonlyMap<number, number> {
  const runs = new Map<number, number>();
  for (let row = from, next = from; row < to; row = next) {
    while (next < to && hashes[next] === hashes[row]) next++;
    const run = Math.imul((hashes[row] ?? 0) ^ (next - row), 0x9e3779b1);
    runs.set(run, runs.has(run) ? -1 : row);
  }
  return runs;
}

/** The longest list whose second numbers rise (patience sorting). */
function longestRising(candidates: readonly Anchor[]): readonly Anchor[] {
  const tails: number[] = []; // index of the candidate that ends the best list of each length
  const previous = new Int32Array(candidates.length).fill(-1);
  const valueAt = (index: number): number => candidates[index]?.[1] ?? 0;
  for (const [index, [, value]] of candidates.entries()) {
    let [low, high] = [0, tails.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (valueAt(tails[middle] ?? 0) < value) low = middle + 1;
      else high = middle;
    }
    if (low > 0) previous[index] = tails[low - 1] ?? -1;
    tails[low] = index;
  }
  const found: Anchor[] = [];
  for (let index = tails.at(-1) ?? -1; index >= 0; index = previous[index] ?? -1) {
    const anchor = candidates[index];
    if (anchor !== undefined) found.push(anchor);
  }
  return found.toReversed();
}

/** Returns the pairs above, between and below the anchors. */
function between({ before, after }: Pair, anchors: readonly Anchor[]): Pair[] {
  const pairs: Pair[] = [];
  let [from, otherFrom] = [before.from, after.from];
  for (const [row, other] of [...anchors, [before.to, after.to] as const]) {
    pairs.push({ before: { from, to: row }, after: { from: otherFrom, to: other } });
    [from, otherFrom] = [row + 1, other + 1];
  }
  return pairs;
}

/** Splits a pair with different numbers of rows: rows that are compared with each other, and rows of one side alone. */
export function splitRows(before: Bitmap, after: Bitmap, pair: Pair): readonly Pair[] {
  const [own, other] = [countOf(pair.before), countOf(pair.after)];
  const common = Math.min(own, other);
  if (own === other || common === 0) return [pair];
  const [a, b] = [hashesOf(before, pair.before), hashesOf(after, pair.after)];
  const differing = (from: number, otherFrom: number): number => {
    let count = 0;
    for (let row = 0; row < common; row++) if (a[from + row] !== b[otherFrom + row]) count++;
    return count;
  };
  const isAtBottom = differing(own - common, other - common) < differing(0, 0);
  const cut = isAtBottom ? pair.before.to - common : pair.before.from + common;
  const otherCut = isAtBottom ? pair.after.to - common : pair.after.from + common;
  const top = { before: { from: pair.before.from, to: cut }, after: { from: pair.after.from, to: otherCut } };
  const bottom = { before: { from: cut, to: pair.before.to }, after: { from: otherCut, to: pair.after.to } };
  return [top, bottom];
}

function hashesOf(picture: Bitmap, { from, to }: Rows): Int32Array {
  return hashRows({ width: picture.width, height: to - from, pixels: rowsOf(picture, from, to) });
}
