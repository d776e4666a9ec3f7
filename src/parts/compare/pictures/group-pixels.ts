import type { Box } from './bitmap.ts';

/** Groups differing pixels that are near each other. */
export interface PixelGroups {
  /** Adds the pixels of a row whose number in the mask is not 0. Rows must come from top to bottom. */
  readonly addRow: (y: number, mask: Uint8Array) => void;
  /** Returns the bounding box of each group, from top to bottom, and the number of its pixels. */
  readonly boxes: () => readonly (Box & { readonly count: number })[];
}

interface Bounds {
  left: number;
  right: number;
  top: number;
  bottom: number;
  count: number;
}

/**
 * @param width of the rows in pixels
 * @param near differing pixels that are at most this far apart are one group
 */
export function createPixelGroups(width: number, near: number): PixelGroups {
  /** Parent of each group; a group without another parent is its own. */
  const parents: number[] = [];
  const bounds: Bounds[] = [];
  // Row and group of the last differing pixel in each column.
  const lastRow = new Int32Array(width).fill(-near - 1);
  const lastGroup = new Int32Array(width);

  const rootOf = (group: number): number => {
    let root = group;
    while (parents[root] !== root) root = parents[root] ?? root;
    parents[group] = root;
    return root;
  };
  const join = (one: number, two: number): number => {
    const [first, second] = [rootOf(one), rootOf(two)];
    const [kept, lost] = [bounds[first], bounds[second]];
    if (first === second || kept === undefined || lost === undefined) return first;
    parents[second] = first;
    kept.left = Math.min(kept.left, lost.left);
    kept.right = Math.max(kept.right, lost.right);
    kept.top = Math.min(kept.top, lost.top);
    kept.bottom = Math.max(kept.bottom, lost.bottom);
    kept.count += lost.count;
    return first;
  };
  const addRun = (y: number, left: number, right: number, count: number): void => {
    let group = parents.push(parents.length) - 1;
    bounds.push({ left, right, top: y, bottom: y, count });
    for (let x = Math.max(0, left - near); x <= Math.min(width - 1, right + near); x++)
      if (y - (lastRow[x] ?? 0) <= near) group = join(lastGroup[x] ?? 0, group);
    lastRow.fill(y, left, right + 1);
    lastGroup.fill(group, left, right + 1);
  };

  return {
    addRow: (y, mask) => {
      let [left, right, count] = [-1, -1, 0];
      for (let x = 0; x < width; x++) {
        if (mask[x] === 0) continue;
        if (left >= 0 && x - right > near) {
          addRun(y, left, right, count);
          left = -1;
        }
        if (left < 0) [left, count] = [x, 0];
        right = x;
        count++;
      }
      if (left >= 0) addRun(y, left, right, count);
    },
    boxes: () =>
      bounds
        .filter((_bounds, group) => rootOf(group) === group)
        .map(({ left, right, top, bottom, count }) => ({
          x: left,
          y: top,
          width: right - left + 1,
          height: bottom - top + 1,
          count,
        }))
        .toSorted((one, two) => one.y - two.y || one.x - two.x),
  };
}
