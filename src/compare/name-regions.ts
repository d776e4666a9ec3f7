import type { z } from 'zod';
import type { elementsPart } from '../capture/parts/page-parts.ts';
import type { Box } from './pictures/bitmap.ts';
import type { Region } from './pictures/region.ts';

export type PageElements = z.output<typeof elementsPart.schema>;

/** Elements of a captured page, and how their boxes lie on its picture. */
export interface PlacedElements {
  readonly elements: PageElements;
  /** Corner of the picture on the page, in CSS pixels. */
  readonly origin: readonly [x: number, y: number];
  /** Pixels of the picture per CSS pixel. */
  readonly density: number;
}

interface Name {
  readonly selector: string;
  /** Text of the element before and after. Undefined: it has none, or a long one. */
  readonly before?: string;
  readonly after?: string;
}

/** Regions that are named: each is compared with up to 20,000 elements, on the event loop. */
const MAX_NAMED = 200;
/** Steps of a selector. A page of 10,000 nested elements had selectors of 2 GB. */
const MAX_STEPS = 32;
/** Room for rounded boxes, in pixels. */
const ROUNDING = 2;

/**
 * Returns the smallest element around each of the first regions, with its texts on both sides. Undefined: there is
 * none. An element whose text became shorter contains the region before alone.
 */
export function nameRegions(
  regions: readonly Region[],
  before: PlacedElements,
  after: PlacedElements,
): readonly (Name | undefined)[] {
  const [ofBefore, ofAfter] = [bySelector(before.elements), bySelector(after.elements)];
  return regions.slice(0, MAX_NAMED).map((region) => {
    const inAfter = region.kind === 'removed' ? undefined : smallestAround(after, region);
    const inBefore = region.kind === 'added' ? undefined : smallestAround(before, placeBefore(region));
    const nameBefore = inBefore && selectorOf(before.elements, inBefore.index);
    const nameAfter = inAfter && selectorOf(after.elements, inAfter.index);
    const isShared = nameBefore !== undefined && (region.kind === 'removed' || ofAfter.has(nameBefore));
    const isSmaller = inAfter === undefined || (inBefore !== undefined && inBefore.area < inAfter.area);
    const selector = isShared && isSmaller ? nameBefore : nameAfter;
    if (selector === undefined) return undefined;
    const textBefore = ofBefore.get(selector);
    const textAfter = region.kind === 'removed' ? undefined : ofAfter.get(selector);
    return { selector, ...(textBefore && { before: textBefore }), ...(textAfter && { after: textAfter }) };
  });
}

/** The place that a region had in the earlier picture. */
function placeBefore(region: Region): Region {
  return region.kind === 'removed' ? region : { ...region, y: region.y + region.offset };
}

/** Returns the box of an element on the picture. */
export function boxOnPicture(
  [x, y, width, height]: readonly [number, number, number, number],
  { origin, density }: Omit<PlacedElements, 'elements'>,
): Box {
  return {
    x: (x - origin[0]) * density,
    y: (y - origin[1]) * density,
    width: width * density,
    height: height * density,
  };
}

interface Found {
  readonly index: number;
  readonly area: number;
}

function smallestAround(side: PlacedElements, region: Region): Found | undefined {
  let found: number | undefined;
  let smallest = Infinity;
  for (const [index, [, , x, y, width, height]] of side.elements.entries.entries()) {
    const area = width * height;
    if (area > smallest || area === 0) continue;
    const box = boxOnPicture([x, y, width, height], side);
    const isAround =
      box.x - ROUNDING <= region.x &&
      box.y - ROUNDING <= region.y &&
      box.x + box.width + ROUNDING >= region.x + region.width &&
      box.y + box.height + ROUNDING >= region.y + region.height;
    if (!isAround) continue;
    [found, smallest] = [index, area]; // of equal boxes, the inner element comes later
  }
  return found === undefined ? undefined : { index: found, area: smallest };
}

function selectorOf({ entries }: PageElements, index: number): string {
  const steps: string[] = [];
  for (let at = index; at >= 0 && steps.length < MAX_STEPS;) {
    const [parent, step] = entries[at] ?? [-1, ''];
    steps.unshift(step);
    at = step.startsWith('#') ? -1 : parent;
  }
  return steps.join(' > ');
}

/** Returns the text of each element by its selector. */
function bySelector(elements: PageElements): ReadonlyMap<string, string> {
  return new Map(elements.entries.map(([, , , , , , text], index) => [selectorOf(elements, index), text] as const));
}
