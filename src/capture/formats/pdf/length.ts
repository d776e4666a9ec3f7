import { z } from 'zod';

const PX_PER_INCH = 96;
const PX_PER_UNIT: Readonly<Record<string, number>> = {
  px: 1,
  pt: PX_PER_INCH / 72,
  in: PX_PER_INCH,
  cm: PX_PER_INCH / 2.54,
  mm: PX_PER_INCH / 25.4,
};
/** As many decimals as people's programs make of 210 mm in inches. */
const LENGTH = /^(\d{1,7}(?:\.\d{1,20})?|\.\d{1,20})(px|pt|in|cm|mm)?$/;

/** Of any length, in CSS pixels: a slip of the keys, not a sheet. What can't be on paper is refused by the sheet itself. */
const LONGEST_PX = 1_000_000;

/** How a length is written, for people. */
export const LENGTH_FORM = '`10mm`, `1cm`, `0.4in`, `40px`, `30pt`; a bare number is px';

/** What is said to anything else. */
export const LENGTH_ERROR = 'must be a length such as 10mm, 1cm, 0.4in, 40px or 30pt; a bare number is px';

/** With a bound, schemas name both kinds of a length apart: not every reader of them knows one type of two. */
export const numberLength = z.number().min(0, { error: LENGTH_ERROR });

/** A length as it may be written: any number from 0, any text. */
export const writtenLength = z.union([numberLength, z.string()], { error: LENGTH_ERROR });

/** CSS pixels; undefined for what is no length, negative or endless. */
export function toPixels(written: number | string): number | undefined {
  const [, digits, unit = 'px'] = LENGTH.exec(`${written}`.trim().toLowerCase()) ?? [];
  if (digits === undefined) return undefined;
  const pixels = Number(digits) * (PX_PER_UNIT[unit] ?? 1);
  return pixels <= LONGEST_PX ? pixels : undefined;
}

/** Points, of which an inch has 72. */
export function toPoints(pixels: number): number {
  return (pixels * 72) / PX_PER_INCH;
}

/** Inches, as the browser counts paper. */
export function toInches(pixels: number): number {
  return pixels / PX_PER_INCH;
}

/** The CSS pixels of so many inches. */
export function fromInches(inches: number): number {
  return inches * PX_PER_INCH;
}

/** The CSS pixels of so many points. */
export function fromPoints(points: number): number {
  return (points * PX_PER_INCH) / 72;
}
