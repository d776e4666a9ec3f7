import type { PdfPage, PdfWord } from '../pdf-contents.ts';
import { readingOrder } from './reading-order.ts';
import { areOnLine, MARKER, type Segment, segmentOf, segmentsOf } from './segments.ts';

/** A part of a document, in reading order. */
export type Block =
  | { readonly kind: 'heading'; readonly text: string; readonly size: number }
  | { readonly kind: 'paragraph'; readonly text: string }
  | { readonly kind: 'item'; readonly text: string }
  | { readonly kind: 'table'; readonly rows: readonly (readonly string[])[] };

/** A heading is larger than the text by this factor. */
const HEADING = 1.15;
/** A large first letter of a text is larger by this factor. */
const CAPITAL = 1.6;
/** Words of a heading at most: a long text in large letters is a text. */
const WORDS_IN_HEADING = 25;
/** Space above a paragraph, in sizes of the text. */
const PARAGRAPH_GAP = 0.75;
/** Where lines are farther apart, in shares of the usual space between them. */
const MORE_THAN_USUAL = 1.3;
/** Farther apart than this, lines are no text, but labels. In sizes of the text. */
const MOST_USUAL = 1.8;
const BULLET = /^[•◦▪‣●○■□–·*-]$/u;

/** Returns the size of most letters of a document, in points. */
export function textSize(pages: readonly PdfPage[]): number {
  const letters = new Map<number, number>();
  for (const { words } of pages)
    for (const { size, text } of words) {
      const rounded = Math.round(size * 2) / 2;
      letters.set(rounded, (letters.get(rounded) ?? 0) + text.length);
    }
  let [most, usual] = [0, 0];
  for (const [size, count] of letters) if (count > most) [most, usual] = [count, size];
  return usual;
}

/** Returns the parts of a page, the turned ones last. `usual` is the size of most letters of the document. */
export function blocksOf(page: PdfPage, usual: number): Block[] {
  const byAngle = [...Map.groupBy(page.words.filter(isSeen(page)), ({ angle }) => angle)];
  return byAngle
    .toSorted(([, a], [, b]) => b.length - a.length)
    .flatMap(([angle, words]) => uprightBlocks(words.map(upright(angle, page)), usual));
}

/** Words that the edge of the page hides are of no use to a reader. */
function isSeen({ width, height }: PdfPage): (word: PdfWord) => boolean {
  return (word) => word.x < width && word.y < height && word.x + word.width > 0 && word.y + word.height > 0;
}

/** Returns a function that turns the place of a word as a reader would turn the page. */
function upright(angle: PdfWord['angle'], { width: across, height: down }: PdfPage): (word: PdfWord) => PdfWord {
  return (word) => {
    const { x, y, width, height } = word;
    if (angle === 0) return word;
    if (angle === 180) return { ...word, x: across - x - width, y: down - y - height };
    const turned = { ...word, width: height, height: width };
    return angle === 90 ? { ...turned, x: y, y: across - x - width } : { ...turned, x: down - y - height, y: x };
  };
}

function uprightBlocks(words: readonly PdfWord[], usual: number): Block[] {
  return readingOrder(segmentsOf(words)).flatMap((flow): Block[] =>
    flow.kind === 'table'
      ? [{ kind: 'table', rows: cellsOf(flow.rows, flow.starts) }]
      : paragraphsOf(linesOf(flow.segments)).map((lines) => blockOf(lines, usual)),
  );
}

/** Joins the segments of one line. */
function linesOf(segments: readonly Segment[]): Segment[] {
  const lines: Segment[] = [];
  for (const segment of segments) {
    const last = lines.at(-1);
    const isLevel = last !== undefined && areOnLine(last, segment) && segment.left >= last.right - last.size;
    if (last !== undefined && isLevel) lines[lines.length - 1] = segmentOf([...last.words, ...segment.words]);
    else lines.push(segment);
  }
  return lines;
}

/** Groups lines by size, space and the markers of lists. */
function paragraphsOf(lines: readonly Segment[]): (readonly Segment[])[] {
  const gaps = lines.flatMap((line, index) => {
    const before = lines[index - 1];
    return before === undefined || before.top > line.top ? [] : [(line.top - before.bottom) / Math.max(line.size, 1)];
  });
  const usual = gaps.toSorted((a, b) => a - b)[Math.floor(gaps.length / 2)] ?? 0;
  const most = Math.max(PARAGRAPH_GAP, MORE_THAN_USUAL * Math.min(usual, MOST_USUAL));
  const paragraphs: Segment[][] = [];
  for (const line of lines) {
    const last = paragraphs.at(-1);
    const before = last?.at(-1);
    if (last !== undefined && before !== undefined && goesOn(last, { before, line, most })) last.push(line);
    else paragraphs.push([line]);
  }
  return paragraphs;
}

interface Lines {
  readonly before: Segment;
  readonly line: Segment;
  /** Space inside of a paragraph, in sizes of the text. */
  readonly most: number;
}

function goesOn(paragraph: readonly Segment[], { before, line, most }: Lines): boolean {
  if (isDropCap(before, line)) return true;
  const sizes = Math.max(before.size, line.size) / Math.max(Math.min(before.size, line.size), 0.1);
  if (sizes > HEADING && !isDropCap(paragraph[0], line)) return false;
  if (MARKER.test(line.words[0]?.text ?? '')) return false;
  const gap = line.top - before.bottom;
  return gap > -2 * line.size && gap < most * line.size;
}

/** True for a large first letter beside the lines of its paragraph. */
function isDropCap(letter: Segment | undefined, line: Segment): boolean {
  const [word] = letter?.words ?? [];
  if (letter === undefined || word === undefined || letter.words.length > 1 || word.text.length > 2) return false;
  return letter.size > CAPITAL * line.size && letter.bottom > line.top && letter.top < line.bottom;
}

function blockOf(lines: readonly Segment[], usual: number): Block {
  const [first] = lines;
  const texts = lines.map(textOf);
  const isCapital = isDropCap(first, lines[1] ?? segmentOf([]));
  const text = isCapital ? `${texts[0] ?? ''}${texts.slice(1).join(' ')}` : texts.join(' ');
  const marker = first?.words[0]?.text ?? '';
  if (MARKER.test(marker) && text.length > marker.length)
    return { kind: 'item', text: BULLET.test(marker) ? text.slice(marker.length).trim() : text };
  const size = lines.find((line) => !isDropCap(first, line) || line !== first)?.size ?? 0;
  const words = lines.reduce((sum, line) => sum + line.words.length, 0);
  const isHeading = !isCapital && size > HEADING * usual && words <= WORDS_IN_HEADING && /\p{L}/u.test(text);
  return isHeading ? { kind: 'heading', text, size: Math.round(size * 2) / 2 } : { kind: 'paragraph', text };
}

/** Joins the words of a line. A large first letter belongs to its word. */
function textOf({ words }: Segment): string {
  const [first, second, ...others] = words;
  if (first === undefined || second === undefined) return first?.text ?? '';
  const isCapital = first.text.length === 1 && first.size > CAPITAL * second.size;
  return [
    isCapital ? first.text + second.text : `${first.text} ${second.text}`,
    ...others.map(({ text }) => text),
  ].join(' ');
}

/** Places each text into the column in which it begins. */
function cellsOf(rows: readonly (readonly Segment[])[], starts: readonly number[]): string[][] {
  return rows.map((row) => {
    const cells: string[] = starts.map(() => '');
    for (const { left, words } of row) {
      const column = Math.max(
        0,
        starts.findLastIndex((start) => start <= left + 1),
      );
      const text = words.map((word) => word.text).join(' ');
      cells[column] = cells[column] === '' ? text : `${cells[column]} ${text}`;
    }
    return cells;
  });
}
