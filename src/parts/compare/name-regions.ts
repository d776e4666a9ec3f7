import type { PageElements } from '../../features/data/elements.ts';
import type { Box } from './pictures/bitmap.ts';
import type { Region } from './pictures/region.ts';

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

/** Regions that are named: each is compared with up to 20,000 elements. */
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
  const twins = twinsOf(before.elements, after.elements);
  return regions.slice(0, MAX_NAMED).map((region) => {
    const find = region.kind === 'added' || region.kind === 'removed' ? largestIn : smallestAround;
    const inAfter = region.kind === 'removed' ? undefined : find(after, region);
    const inBefore = region.kind === 'added' ? undefined : find(before, placeBefore(region));
    const isSmaller = inAfter === undefined || (inBefore !== undefined && inBefore.area < inAfter.area);
    const twin = inBefore && (twins.inAfter[inBefore.index] ?? -1);
    const isBefore = inBefore !== undefined && isSmaller && (region.kind === 'removed' || twin !== -1);
    const own = isBefore ? inBefore.index : twins.inBefore[inAfter?.index ?? -1];
    const other = isBefore ? twin : inAfter?.index;
    const selector = isBefore ? selectorOf(before.elements, own) : selectorOf(after.elements, other);
    if (selector === undefined) return undefined;
    const textBefore = region.kind === 'added' ? undefined : textOf(before.elements, own);
    const textAfter = region.kind === 'removed' ? undefined : textOf(after.elements, other);
    return { selector, ...(textBefore && { before: textBefore }), ...(textAfter && { after: textAfter }) };
  });
}

/** The place that a region had in the earlier picture. */
function placeBefore(region: Region): Region {
  if (region.kind === 'removed') return region;
  return { ...region, x: region.x + (region.shift ?? 0), y: region.y + region.offset };
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

/** Share of a region that its own element covers: margins may be parts of it. */
const LEAST_COVER = 0.5;

/** Returns the element that a region consists of, or the smallest one around it. */
function largestIn(side: PlacedElements, region: Region): Found | undefined {
  let found: Found | undefined;
  for (const [index, [, , x, y, width, height]] of side.elements.entries.entries()) {
    const box = boxOnPicture([x, y, width, height], side);
    const area = box.width * box.height;
    const isInside =
      box.x + ROUNDING >= region.x &&
      box.y + ROUNDING >= region.y &&
      box.x + box.width <= region.x + region.width + ROUNDING &&
      box.y + box.height <= region.y + region.height + ROUNDING;
    if (isInside && area > (found?.area ?? 0)) found = { index, area };
  }
  const isCovered = found !== undefined && found.area >= region.width * region.height * LEAST_COVER;
  return isCovered ? found : smallestAround(side, region);
}

function selectorOf({ entries }: PageElements, index = -1): string | undefined {
  const steps: string[] = [];
  for (let at = index; at >= 0 && steps.length < MAX_STEPS;) {
    const [parent, step] = entries[at] ?? [-1, ''];
    steps.unshift(step);
    at = step.startsWith('#') ? -1 : parent;
  }
  return steps.length === 0 ? undefined : steps.join(' > ');
}

function textOf({ entries }: PageElements, index = -1): string | undefined {
  return entries[index]?.[6];
}

function keyOf(parent: number, step: string): string {
  return step.startsWith('#') ? step : `${parent} ${step}`;
}

interface Twins {
  /** Index in the later page of each element of the earlier one. -1: it has none with this selector. */
  readonly inAfter: Int32Array;
  readonly inBefore: Int32Array;
}

/**
 * Matches the elements of two pages that have the same selector. Parents come before their children, so that the step
 * decides alone: the selectors of all elements had gigabytes.
 */
function twinsOf(before: PageElements, after: PageElements): Twins {
  const inAfter = new Int32Array(before.entries.length).fill(-1);
  const inBefore = new Int32Array(after.entries.length).fill(-1);
  const known = new Map(after.entries.map(([parent, step], index) => [keyOf(parent, step), index]));
  for (const [index, [parent, step]] of before.entries.entries()) {
    const twin = known.get(keyOf(parent < 0 ? -1 : (inAfter[parent] ?? -2), step)) ?? -1;
    inAfter[index] = twin;
    if (twin >= 0) inBefore[twin] = index;
  }
  return { inAfter, inBefore };
}
