import type { Box } from './bitmap.ts';

export type RegionKind = 'changed' | 'added' | 'removed' | 'moved';

/** A region that differs. Its place is in the later picture; for `removed`, in the earlier one. */
export interface Region extends Box {
  readonly kind: RegionKind;
  /** Rows by which the earlier picture has the same place lower. Negative: higher. */
  readonly offset: number;
  /** Columns by which the earlier picture has the same place farther right. Undefined: 0. */
  readonly shift?: number;
  /** Row of the later picture where a removed region was. */
  readonly rowInAfter?: number;
}
