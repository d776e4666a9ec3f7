import type { Region } from './region.ts';

/** Largest difference of two sides that lie above each other, in pixels. */
const NEAR = 8;

/**
 * Joins an added part with a changed one of the same columns that touches it from above. A banner above a header that
 * shows what lies behind it replaces the rows of the header: it is one region, not two.
 */
export function withoutSeams(regions: readonly Region[]): readonly Region[] {
  const changed = regions.filter(({ kind }) => kind === 'changed');
  const byEnd = Map.groupBy(changed, ({ y, height }) => y + height);
  const joined = new Map<Region, Region>();
  for (const added of regions) {
    if (added.kind !== 'added') continue;
    const above = byEnd.get(added.y)?.find((each) => isAbove(each, added));
    if (above === undefined) continue;
    joined.set(above, { ...above, width: Math.max(above.width, added.width), height: above.height + added.height });
    joined.set(added, above);
  }
  return regions.flatMap((region) =>
    region.kind === 'added' && joined.has(region) ? [] : [joined.get(region) ?? region],
  );
}

function isAbove(upper: Region, lower: Region): boolean {
  return Math.abs(upper.x - lower.x) <= NEAR && Math.abs(upper.width - lower.width) <= 2 * NEAR;
}
