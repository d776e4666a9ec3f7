import { type Area, areOnLine, type Segment } from './segments.ts';

/** Segments that follow each other: one column of text, or the rows of a table. */
export type Flow =
  | { readonly kind: 'column'; readonly segments: readonly Segment[] }
  | { readonly kind: 'table'; readonly rows: readonly (readonly Segment[])[]; readonly starts: readonly number[] };

/** Segments of a page that are laid out. The words of a page with more keep the order in which they were drawn. */
const MOST_SEGMENTS = 20_000;
/** Words of a cell at most, on average. Lines of a column have more. */
const WORDS_IN_CELL = 3.5;
/** Space between lines of one column, in sizes of the text. */
const MOST_SPACE = 2.5;
/** Columns whose lines are not level. */
const MOST_UNEVEN = 3;
/** Places of text beside each other that are told apart. */
const MOST_SPANS = 60;
/** Changes from one column to another, from the top of the page down. A date at the right and an address have one. */
const LEAST_CHANGES = 4;
/** Columns inside of columns. */
const MOST_DEPTH = 6;

/** A stripe of a page that no white line crosses, from the left edge to the right. */
interface Band {
  readonly segments: readonly Segment[];
  readonly bottom: number;
}

/** Parts of a line that have text, from left to right, without overlaps. */
type Spans = readonly { readonly left: number; readonly right: number }[];

/**
 * Returns what a person would read one after the other: columns from left to right, tables row by row. Sorts, and then
 * looks at each segment a few times.
 */
export function readingOrder(segments: readonly Segment[]): Flow[] {
  if (segments.length > MOST_SEGMENTS) return [{ kind: 'column', segments }];
  return inOrder(segments, 0);
}

function inOrder(segments: readonly Segment[], depth: number): Flow[] {
  const flows: Flow[] = [];
  const single: Segment[] = [];
  const flush = (): void => {
    if (single.length > 0) flows.push({ kind: 'column', segments: single.splice(0) });
  };
  for (const group of groupsOf(bandsOf(segments))) {
    const { bands, spans } = group;
    const inside = bands.flatMap((band) => band.segments);
    if (spans.length < 2 || depth === MOST_DEPTH || !areBeside(group)) {
      single.push(...bands.flatMap((band) => linesIn(band.segments)));
      continue;
    }
    flush();
    const byColumn = Map.groupBy(inside, (segment) => columnOf(spans, segment));
    const columns = spans.map((_, index) => byColumn.get(index) ?? []);
    if (isTable(bands, columns)) flows.push(...withTable(bands, spans));
    else flows.push(...columns.flatMap((column) => inOrder(column, depth + 1)));
  }
  flush();
  return flows;
}

/** Cuts at white lines across the page. */
function bandsOf(segments: readonly Segment[]): Band[] {
  const bands: { segments: Segment[]; bottom: number }[] = [];
  for (const segment of segments.toSorted((a, b) => a.top - b.top)) {
    const last = bands.at(-1);
    // Descenders of a line reach into the next one.
    if (last !== undefined && (segment.top < last.bottom - 0.3 * segment.size || areOnLine(segment, bottomOf(last)))) {
      last.segments.push(segment);
      last.bottom = Math.max(last.bottom, segment.bottom);
    } else bands.push({ segments: [segment], bottom: segment.bottom });
  }
  return bands;
}

function bottomOf({ segments, bottom }: { segments: readonly Segment[]; bottom: number }): Area {
  const [first] = segments;
  return { left: 0, right: 0, top: first?.top ?? 0, bottom };
}

/** Bands that leave the same gaps free. */
interface Group {
  readonly bands: Band[];
  spans: Spans;
  /** True if some bands have texts of several columns. */
  readonly hasColumns: boolean;
}

/** Joins bands while their texts leave the same gaps free. */
function groupsOf(bands: readonly Band[]): readonly Group[] {
  const groups: Group[] = [];
  for (const band of bands) {
    const own = spansOf(band.segments);
    const last = groups.at(-1);
    if (last !== undefined && own.length > 1 && !last.hasColumns) {
      // The columns may have begun above, where only one of them has text.
      const first = last.bands.findLastIndex(({ segments }) => !fitsInto(own, spansOf(segments))) + 1;
      const above = last.bands.splice(first);
      if (last.bands.length === 0) groups.pop();
      const spans = spansOf([...above.flatMap(({ segments }) => segments), ...own]);
      groups.push({ bands: [...above, band], spans, hasColumns: true });
    } else if (last !== undefined && (last.hasColumns ? goesOn(last, band, own) : own.length === 1)) {
      last.bands.push(band);
      if (last.spans.length <= MOST_SPANS) last.spans = spansOf([...last.spans, ...own]);
    } else groups.push({ bands: [band], spans: own, hasColumns: own.length > 1 });
  }
  return groups;
}

/** True if a band goes on columns: it leaves their gaps free, and does not lie far below them, as a footer does. */
function goesOn({ bands, spans }: Group, band: Band, own: Spans): boolean {
  if (spansOf([...spans, ...own]).length < Math.max(spans.length, own.length)) return false;
  const [first] = band.segments;
  const space = (first?.top ?? 0) - (bands.at(-1)?.bottom ?? 0);
  return own.length > 1 || (fitsInto(spans, own) && space < MOST_SPACE * (first?.size ?? 0));
}

/** True if texts at these places lie in the columns, and not between them. */
function fitsInto(spans: Spans, own: Spans): boolean {
  return spansOf([...spans, ...own]).length === spans.length;
}

/** True if some bands have texts of several columns, or the columns take turns: their lines are not level. */
function areBeside({ bands, spans, hasColumns }: Group): boolean {
  if (hasColumns) return true;
  if (spans.length > MOST_UNEVEN) return false;
  const columns = bands.map(({ segments: [first] }) => spans.findIndex(({ right }) => (first?.left ?? 0) < right));
  return columns.filter((column, index) => index > 0 && column !== columns[index - 1]).length >= LEAST_CHANGES;
}

/** Returns the index of the column in which a text begins. */
function columnOf(spans: Spans, { left }: { readonly left: number }): number {
  return Math.max(
    0,
    spans.findLastIndex((span) => span.left <= left),
  );
}

function spansOf(areas: readonly { readonly left: number; readonly right: number }[]): Spans {
  const spans: { left: number; right: number }[] = [];
  for (const { left, right } of areas.toSorted((a, b) => a.left - b.left)) {
    const last = spans.at(-1);
    if (last !== undefined && left <= last.right) last.right = Math.max(last.right, right);
    else spans.push({ left, right });
  }
  return spans;
}

function isTable(bands: readonly Band[], columns: readonly (readonly Segment[])[]): boolean {
  if (bands.length === 1) return true;
  const all = columns.flat();
  const words = all.reduce((sum, segment) => sum + segment.words.length, 0);
  return columns.length > 4 || words / Math.max(all.length, 1) <= WORDS_IN_CELL;
}

/** Returns the rows that have several cells as a table, and the lines above and below it as text. */
function withTable(bands: readonly Band[], spans: Spans): Flow[] {
  const hasCells = ({ segments }: Band): boolean => segments.length > 1;
  const last = bands.findLastIndex(hasCells);
  const first = last === -1 ? 0 : bands.findIndex(hasCells); // lines that take turns are one table
  const lines = (part: readonly Band[]): Flow[] =>
    part.length === 0 ? [] : [{ kind: 'column', segments: part.flatMap(({ segments }) => segments) }];
  const inside = bands.slice(first, last === -1 ? undefined : last + 1).flatMap(({ segments }) => segments);
  return [
    ...lines(bands.slice(0, first)),
    { kind: 'table', ...tableOf(inside, spans) },
    ...lines(last === -1 ? [] : bands.slice(last + 1)),
  ];
}

/** Groups the cells by rows: a line that begins in the first column, or after a gap, begins one. */
function tableOf(
  segments: readonly Segment[],
  spans: Spans,
): { readonly rows: readonly (readonly Segment[])[]; readonly starts: readonly number[] } {
  const rows: Segment[][] = [];
  for (const segment of segments.toSorted((a, b) => a.top - b.top)) {
    const last = rows.at(-1);
    const [first] = last ?? [];
    if (last !== undefined && first !== undefined && areOnLine(first, segment)) last.push(segment);
    else rows.push([segment]);
  }
  return {
    rows: rows.map((row) => row.toSorted((a, b) => a.left - b.left)),
    starts: spans.map(({ left }) => left),
  };
}

/** Returns the segments line by line, from left to right. */
function linesIn(segments: readonly Segment[]): Segment[] {
  return tableOf(segments, []).rows.flat();
}
