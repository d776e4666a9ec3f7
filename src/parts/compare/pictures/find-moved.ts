import { hash } from 'node:crypto';
import { keyOfRows, type Rows } from './align-rows.ts';
import { type Bitmap, type Box, wordsOf } from './bitmap.ts';
import { cut } from './column-bands.ts';
import type { Region } from './region.ts';

/** Least size of a moved part, in pixels: equal letters and marks are found everywhere on a page. */
const [LEAST_SIDE, LEAST_AREA] = [8, 150];
/** Pixels of one region, and of all, that are looked for elsewhere. */
const [MAX_PIXELS, MAX_ALL_PIXELS] = [1_000_000, 20_000_000];

/**
 * Finds what has left its old place and is at a new one, equal. The old place is then no region of its own. A
 * place that shows something else now has changed.
 */
export function withMoved(before: Bitmap, after: Bitmap, regions: readonly Region[]): readonly Region[] {
  const rowsMoved = withMovedRows(before, after, regions);
  const whole = withNearMoves(before, after, rowsMoved);
  let left = MAX_ALL_PIXELS;
  const changed = whole.filter(({ kind, width, height }) => {
    if (kind === 'moved' || width * height > MAX_PIXELS) return false;
    left -= width * height;
    return left >= 0;
  });
  const contents = changed.map((region) => ({
    region,
    old: region.kind === 'added' ? undefined : contentOf(before, withMargin(placeBefore(region), before)),
    now: region.kind === 'removed' ? undefined : contentOf(after, withMargin(region, after)),
  }));
  const gone = Map.groupBy(
    contents.filter(({ region, old }) => old && (region.kind === 'removed' || isOneColour(after, region, old.ground))),
    ({ old }) => old?.key,
  );
  const [moved, leftPlaces] = [new Set<Region>(), new Set<Region>()];
  for (const { region, now } of contents) {
    const source = now && gone.get(now.key)?.shift();
    if (source === undefined) continue;
    leftPlaces.add(source.region);
    moved.add(region);
  }
  return whole
    .filter((region) => !leftPlaces.has(region))
    .map((region) => (moved.has(region) ? { ...region, kind: 'moved' } : region));
}

/** Edges of one thing that moved by less than its own size are this near to each other, in pixels. */
const NEAR = 64;
/** Regions that are looked at in pairs. */
const MAX_NEAR = 100;

/** Joins the edges of what has moved by a little: only these differ if it is of one colour inside. */
function withNearMoves(before: Bitmap, after: Bitmap, regions: readonly Region[]): readonly Region[] {
  const changed = regions.filter(({ kind }) => kind === 'changed').slice(0, MAX_NEAR);
  const joined = new Map<Region, Region>();
  for (const region of changed) {
    if (joined.has(region)) continue;
    let box: Box = region;
    const parts = [region];
    for (const other of changed) {
      if (other === region || joined.has(other) || other.offset !== region.offset || !isNear(box, other)) continue;
      box = around(box, other);
      parts.push(other);
    }
    const place = { ...region, ...withMargin(box, after) };
    if (place.width * place.height > MAX_PIXELS) continue;
    const [old, now] = [contentOf(before, placeBefore(place)), contentOf(after, place)];
    if (old === undefined || now === undefined || old.key !== now.key) continue;
    const moved: Region = { ...region, ...box, kind: 'moved' };
    for (const part of parts) joined.set(part, moved);
  }
  return [...new Set(regions.map((region) => joined.get(region) ?? region))];
}

function isNear(one: Box, two: Box): boolean {
  return (
    two.x <= one.x + one.width + NEAR &&
    one.x <= two.x + two.width + NEAR &&
    two.y <= one.y + one.height + NEAR &&
    one.y <= two.y + two.height + NEAR
  );
}

function around(one: Box, two: Box): Box {
  const [x, y] = [Math.min(one.x, two.x), Math.min(one.y, two.y)];
  const [right, bottom] = [
    Math.max(one.x + one.width, two.x + two.width),
    Math.max(one.y + one.height, two.y + two.height),
  ];
  return { x, y, width: right - x, height: bottom - y };
}

/** Returns a box with the pixels around it, which show its ground. */
function withMargin({ x, y, width, height }: Box, picture: Bitmap): Box {
  const [left, top] = [Math.max(0, x - 1), Math.max(0, y - 1)];
  const right = Math.min(picture.width, x + width + 1);
  const bottom = Math.min(picture.height, y + height + 1);
  return { x: left, y: top, width: right - left, height: bottom - top };
}

/** Finds rows that were removed and are there at another place. */
function withMovedRows(before: Bitmap, after: Bitmap, regions: readonly Region[]): readonly Region[] {
  if (before.width !== after.width) return regions;
  const removed = new Set(regions.filter(({ kind, width }) => kind === 'removed' && width === before.width));
  const byRows = Map.groupBy(removed, (region) => keyOfRows(before, rowsAt(region)));
  const found = regions.map((region): Region => {
    const source = region.kind === 'added' ? byRows.get(keyOfRows(after, rowsAt(region)))?.shift() : undefined;
    if (source === undefined || isOneColour(after, region)) return region;
    removed.delete(source);
    return { ...region, kind: 'moved', offset: source.y - region.y };
  });
  const lost = new Set(regions.filter((region) => region.kind === 'removed' && region.width === before.width));
  return found.filter((region) => !lost.has(region) || removed.has(region));
}

function rowsAt({ y, height }: Box): Rows {
  return { from: y, to: y + height };
}

function placeBefore(region: Region): Box {
  if (region.kind === 'removed') return region;
  return { ...region, x: region.x + (region.shift ?? 0), y: region.y + region.offset };
}

interface Content {
  /** Equal for equal contents. */
  readonly key: string;
  /** Colour around it. */
  readonly ground: number;
}

/**
 * Returns the content of a box on the colour of its corner. Undefined if it is empty, a letter or of one colour.
 */
function contentOf(picture: Bitmap, { x, y, width, height }: Box): Content | undefined {
  const part = cut(picture, { from: y, to: y + height }, { from: x, to: x + width });
  const words = wordsOf(part.pixels);
  const [ground = 0] = words;
  let [left, right, top, bottom] = [width, -1, height, -1];
  for (let row = 0, at = 0; row < height; row++)
    for (let column = 0; column < width; column++, at++) {
      if (words[at] === ground) continue;
      [left, right] = [Math.min(left, column), Math.max(right, column)];
      [top, bottom] = [Math.min(top, row), row];
    }
  const size = { width: right - left + 1, height: bottom - top + 1 };
  if (Math.min(size.width, size.height) < LEAST_SIDE || size.width * size.height < LEAST_AREA) return undefined;
  const content = cut(part, { from: top, to: bottom + 1 }, { from: left, to: right + 1 });
  const own = wordsOf(Uint8Array.from(content.pixels));
  if (own.every((word) => word === own[0])) return undefined;
  return { key: `${size.width} ${hash('sha1', new Uint8Array(own.buffer), 'base64')}`, ground };
}

function isOneColour(picture: Bitmap, { x, y, width, height }: Box, colour?: number): boolean {
  const { pixels } = cut(picture, { from: y, to: y + height }, { from: x, to: x + width });
  const words = wordsOf(pixels);
  return words.every((word) => word === (colour ?? words[0]));
}
