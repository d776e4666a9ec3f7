import { z } from 'zod';

const PX_PER_INCH = 96;
const PX_PER_UNIT: Readonly<Record<string, number>> = {
  px: 1,
  pt: PX_PER_INCH / 72,
  in: PX_PER_INCH,
  cm: PX_PER_INCH / 2.54,
  mm: PX_PER_INCH / 25.4,
};
/** Accepts as many decimals as programs produce for 210 mm in inches. */
const LENGTH = /^(\d{1,7}(?:\.\d{1,20})?|\.\d{1,20})(px|pt|in|cm|mm)?$/;

/** Maximum of any length in CSS pixels, to catch typing errors. The sheet refuses lengths that don't fit on paper. */
const LONGEST_PX = 1_000_000;

/** Accepted formats of a length, for people. */
export const LENGTH_FORM = '`10mm`, `1cm`, `0.4in`, `40px`, `30pt`; a bare number is px';

/** Error message for invalid lengths. */
export const LENGTH_ERROR = 'must be a length such as 10mm, 1cm, 0.4in, 40px or 30pt; a bare number is px';

/** Has a minimum, so that the schema lists both types of a length. Some schema readers ignore unions of plain types. */
export const numberLength = z.number().min(0, { error: LENGTH_ERROR });

/** A length as written: a number from 0, or text. */
export const writtenLength = z.union([numberLength, z.string()], { error: LENGTH_ERROR });

/** Returns CSS pixels. Undefined if the text is no length, negative or infinite. */
export function toPixels(written: number | string): number | undefined {
  const [, digits, unit = 'px'] = LENGTH.exec(`${written}`.trim().toLowerCase()) ?? [];
  if (digits === undefined) return undefined;
  const pixels = Number(digits) * (PX_PER_UNIT[unit] ?? 1);
  return pixels <= LONGEST_PX ? pixels : undefined;
}

/** Converts CSS pixels to points (72 per inch). */
export function toPoints(pixels: number): number {
  return (pixels * 72) / PX_PER_INCH;
}

/** Converts CSS pixels to inches, the unit of Chrome's paper sizes. */
export function toInches(pixels: number): number {
  return pixels / PX_PER_INCH;
}

/** Converts inches to CSS pixels. */
export function fromInches(inches: number): number {
  return inches * PX_PER_INCH;
}

/** Converts points to CSS pixels. */
export function fromPoints(points: number): number {
  return (points * PX_PER_INCH) / 72;
}
