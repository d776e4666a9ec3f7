import { hash } from 'node:crypto';
import { hashRows } from './align-rows.ts';
import { type Bitmap, rowsOf } from './bitmap.ts';
import type { Region } from './region.ts';

/** A region is `moved` if it is found at most this far away, horizontally or vertically. */
const MOVED_AT_MOST = 64;
/** Larger regions are not looked for elsewhere, nor more of them. */
const [MAX_MOVED_PIXELS, MAX_MOVED_REGIONS] = [400_000, 50];

/** Changes the kind of regions whose content has the earlier picture at another place. */
export function withMoved(before: Bitmap, after: Bitmap, regions: readonly Region[]): readonly Region[] {
  const removed = new Set(regions.filter(({ kind }) => kind === 'removed'));
  const byRows = Map.groupBy(removed, (region) => rowsIn(before, region));
  let tried = 0;
  const found = regions.map((region): Region => {
    if (region.kind === 'added' && before.width === after.width) {
      const source = byRows.get(rowsIn(after, region))?.shift();
      if (source === undefined) return region;
      removed.delete(source);
      return { ...region, kind: 'moved', offset: source.y - region.y };
    }
    if (region.kind !== 'changed' || region.width * region.height > MAX_MOVED_PIXELS) return region;
    if (tried++ >= MAX_MOVED_REGIONS) return region;
    return isFoundNear(before, after, region) ? { ...region, kind: 'moved' } : region;
  });
  const left = new Set(removed);
  return found.filter((region) => region.kind !== 'removed' || left.has(region));
}

/** True if the earlier picture has the content of the region a little to a side, above or below. */
function isFoundNear(before: Bitmap, after: Bitmap, region: Region): boolean {
  for (let by = 1; by <= MOVED_AT_MOST; by++) {
    for (const [dx, dy] of [
      [-by, 0],
      [by, 0],
      [0, -by],
      [0, by],
    ] as const)
      if (hasContent(before, after, region, dx, dy)) return true;
  }
  return false;
}

function hasContent(before: Bitmap, after: Bitmap, region: Region, dx: number, dy: number): boolean {
  const [left, top] = [region.x + dx, region.y + region.offset + dy];
  if (left < 0 || top < 0 || left + region.width > before.width || top + region.height > before.height) return false;
  for (let row = 0; row < region.height; row++) {
    const own = ((top + row) * before.width + left) * 4;
    const other = ((region.y + row) * after.width + region.x) * 4;
    const rowBefore = before.pixels.subarray(own, own + region.width * 4);
    const rowAfter = after.pixels.subarray(other, other + region.width * 4);
    if (Buffer.compare(rowBefore, rowAfter) !== 0) return false;
  }
  return true;
}

/**
 * Returns a key for the rows, in no order: rows at the edge may count as the rows above or below, if those are equal.
 */
function rowsIn(picture: Bitmap, { y, height }: Region): string {
  const hashes = hashRows({ width: picture.width, height, pixels: rowsOf(picture, y, y + height) }).sort();
  return hash('sha1', hashes, 'base64');
}
