import type { CompareAnswer, Compared, NamedRegion } from './compare-call.ts';
import { nameRegions } from './name-regions.ts';
import { decode, type OpenPictures } from './open-pictures.ts';
import { ignore } from './pictures/bitmap.ts';
import { compareBitmaps } from './pictures/compare-bitmaps.ts';
import { markRegions } from './pictures/mark-regions.ts';
import type { Region } from './pictures/region.ts';

/** Most regions of an answer. With more, nearly the whole page differs. */
const MAX_REGIONS = 1_000;

/** Compares two pictures, and names the regions by the elements of their pages. */
export async function comparePictures({
  call,
  before,
  after,
  unmatched,
}: OpenPictures): Promise<CompareAnswer<Compared>> {
  const sizes = { before: before.size, after: after.size, unmatched };
  const isEqual = Buffer.compare(call.before.bytes, call.after.bytes) === 0;
  if (isEqual && call.format === undefined) {
    // Decoding finds a damaged picture.
    const only = await decode('before', call.before.bytes);
    if (typeof only === 'string') return { problem: only };
    return { value: { ...sizes, pixels: 0, regions: [], isTruncated: false, picture: undefined } };
  }
  const [own, other] = await Promise.all([decode('before', call.before.bytes), decode('after', call.after.bytes)]);
  if (typeof own === 'string') return { problem: own };
  if (typeof other === 'string') return { problem: other };
  ignore(own, before.ignored);
  ignore(other, after.ignored);
  const { pixels, regions: all } = compareBitmaps(own, other, {
    ...call,
    areWhole: [call.before, call.after].every(({ place }) => place?.page !== undefined),
    density: (after.placed ?? before.placed)?.density ?? 1,
  });
  const regions = largestOf(all);
  return {
    value: {
      ...sizes,
      pixels,
      regions: namedRegions(regions, { before, after }),
      isTruncated: regions.length < all.length,
      picture: call.format && (await drawMarks(call.after.bytes, regions, call.format)),
    },
  };
}

/** Decodes the picture again, because ignored boxes are black in the compared one. A copy would need its memory. */
async function drawMarks(
  bytes: Uint8Array,
  regions: readonly Region[],
  format: 'png' | 'webp',
): Promise<Uint8Array | undefined> {
  const picture = await decode('after', bytes);
  return typeof picture === 'string' ? undefined : await markRegions(picture, regions, format);
}

function largestOf(regions: readonly Region[]): readonly Region[] {
  if (regions.length <= MAX_REGIONS) return regions;
  return regions.toSorted((one, two) => two.width * two.height - one.width * one.height).slice(0, MAX_REGIONS);
}

function namedRegions(
  regions: readonly Region[],
  { before, after }: Pick<OpenPictures, 'before' | 'after'>,
): readonly NamedRegion[] {
  const areNamed = before.placed !== undefined && after.placed !== undefined;
  const names = areNamed ? nameRegions(regions, before.placed, after.placed) : [];
  return regions.map(({ x, y, width, height, kind, rowInAfter }, index) => ({
    x,
    y,
    width,
    height,
    kind,
    ...(rowInAfter !== undefined && { rowInAfter }),
    ...names[index],
  }));
}
