/** Of a picture, in device pixels. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

export const FITS = ['inside', 'cover', 'contain'] as const;

/** How large a picture shall be. A side that is undefined follows from the other. */
export interface WantedSize {
  readonly width: number | undefined;
  readonly height: number | undefined;
  readonly fit: (typeof FITS)[number];
}

/** Smaller differences come from computing with fractions. */
const ROUNDING = 1e-6;

/** What is done to a picture, in this order. */
interface Resizing {
  /** The part of it that is kept. */
  readonly crop: Size & { readonly left: number; readonly top: number };
  /** What that part becomes; never larger. */
  readonly scaled: Size;
  /** Where it is put, in the middle: the result. */
  readonly canvas: Size;
}

/** Numbers alone, so that what would be too large is known before there is a picture. */
export function planResizing(picture: Size, wanted: WantedSize | undefined): Resizing {
  const { width = Infinity, height = Infinity, fit = 'inside' } = wanted ?? {};
  const box = { width, height };
  if (fit === 'cover') return cover(picture, box);
  const scale = Math.min(1, box.width / picture.width, box.height / picture.height);
  const scaled = times(picture, scale);
  return { crop: { left: 0, top: 0, ...picture }, scaled, canvas: fit === 'contain' ? box : scaled };
}

/**
 * At what part of its size the browser may draw a picture that will be a small one: so that it has twice the pixels of the result each
 * way, or half of its own. What is left is done with a better filter, and looks the same as when all is done with that; text that the
 * browser itself draws that small has letters unevenly apart. It saves the browser and us a third of the work (2026-11-22).
 *
 * In eighths, and only where whole pixels come of it: the last column would be half empty.
 */
export function drawingScale(picture: Size, wanted: WantedSize): number {
  const { crop, scaled } = planResizing(roundedUp(picture), wanted);
  const shrinking = Math.min(crop.width / scaled.width, crop.height / scaled.height);
  const scales = [4 / 8, 5 / 8, 6 / 8, 7 / 8].filter((scale) => scale * shrinking >= 2);
  return scales.find((scale) => isWhole(picture.width * scale) && isWhole(picture.height * scale)) ?? 1;
}

/**
 * The upper edge of a page is what it is known by, so that stays. A picture that can't cover the box has the box's proportions
 * all the same: whoever shows it in such a box may stretch it.
 */
function cover(picture: Size, box: Size): Resizing {
  const scale = Math.min(picture.width / box.width, picture.height / box.height);
  const kept = times(box, scale);
  const left = Math.floor((picture.width - kept.width) / 2);
  const scaled = scale < 1 ? kept : box;
  return { crop: { left, top: 0, ...kept }, scaled, canvas: scaled };
}

function times({ width, height }: Size, factor: number): Size {
  return { width: Math.max(1, Math.round(width * factor)), height: Math.max(1, Math.round(height * factor)) };
}

function roundedUp({ width, height }: Size): Size {
  return { width: Math.ceil(width), height: Math.ceil(height) };
}

function isWhole(value: number): boolean {
  return Math.abs(value - Math.round(value)) < ROUNDING;
}
