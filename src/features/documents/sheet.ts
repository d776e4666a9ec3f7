import { ServiceError, validationError } from '../../core/ground/errors.ts';
import type { DocumentOptions } from './document-fields.ts';
import { fromInches, toInches, toPoints } from './length.ts';
import { DEFAULT_PAPER, PAPER_SIZES, type SIDES } from './paper-sizes.ts';

/**
 * Maximum side of the PDF format. Readers cut off larger pages or show nothing; Chrome writes them without an error.
 */
export const MAX_SIDE_PT = 14_400;

/** Chrome's default margin: one centimetre. */
const USUAL_MARGIN = fromInches(1 / 2.54);
/** Scale below which text of usual size can't be read. */
const LEAST_LEGIBLE_SCALE = 0.3;
/** Minimum height of the content. With less room than one line, each slice of a line would become a page. */
export const LEAST_ROOM = 10;

/** Margins of the paper in CSS pixels. */
export type Margins = Record<(typeof SIDES)[number], number>;

/** The paper and its margins as far as the request sets them. In CSS pixels. */
export interface Sheet {
  readonly width: number;
  readonly height: number;
  /** True if the request sets the paper. Otherwise the page may. */
  readonly isNamed: boolean;
  /** True if the request sets the width. A single sheet is named without it. */
  readonly isChosen: boolean;
  /** Margins as far as they are known before the print. */
  readonly margins: Readonly<Margins>;
  /** Margins for pages that set none. */
  readonly defaultMargins: Readonly<Partial<Margins>>;
  /** Margins that override those of the page. */
  readonly fixedMargins: Readonly<Partial<Margins>>;
}

type Paper = Pick<Sheet, 'width' | 'height' | 'margins'>;

/** Computes paper and margins from the request. */
export function sheetOf(options: DocumentOptions): Sheet {
  const { default: isDefault, ...given } = options.pdf_margin ?? {};
  const [defaultMargins, fixedMargins] = isDefault === true ? [given, {}] : [{}, given];
  const usual = { top: USUAL_MARGIN, right: USUAL_MARGIN, bottom: USUAL_MARGIN, left: USUAL_MARGIN };
  const { pdf_format: format, pdf_width: width, pdf_landscape: isLandscape, pdf_single_page: isSingle } = options;
  const isChosen = format !== undefined || width !== undefined || isLandscape;
  const margins = { ...usual, ...given };
  return { ...paperOf(options), isNamed: isChosen || isSingle, isChosen, margins, defaultMargins, fixedMargins };
}

/**
 * Refuses paper that readers can't show, and margins that leave no room.
 * @throws ServiceError ResultTooLargeError, ValidationError
 */
export function checkSheet(sheet: Paper): void {
  const { width, height } = sheet;
  if (toPoints(Math.max(width, height)) > MAX_SIDE_PT) throw sheetTooLarge(width, height);
  checkRoom(sheet);
}

/**
 * Refuses margins that leave no room on the paper, which Chrome would ignore, and paper without a size.
 * @throws ServiceError ValidationError
 */
export function checkRoom({ width, height, margins }: Paper): void {
  const isTooNarrow = width - margins.left - margins.right < LEAST_ROOM;
  if (!isTooNarrow && height - margins.top - margins.bottom >= LEAST_ROOM) return;
  const [from, to, side] = isTooNarrow
    ? (['left', 'right', 'pdf_width'] as const)
    : (['top', 'bottom', 'pdf_height'] as const);
  if (margins[from] + margins[to] === 0) throw validationError(`${side}: must be at least ${LEAST_ROOM}px`);
  throw validationError(
    `pdf_margin: must leave room between ${from} and ${to} on paper of ${shown(width)} x ${shown(height)} pt`,
  );
}

/**
 * Error for paper that is longer than documents may be.
 * @param fittingScale a `pdf_scale` that fits; 0 if there is none
 */
export function sheetTooLarge(width: number, height: number, fittingScale = 0): ServiceError {
  const size = `${shown(width)} x ${shown(height)} pt`;
  const advice = fittingScale >= LEAST_LEGIBLE_SCALE ? `; pdf_scale: ${fittingScale} makes it fit` : '';
  const details = `The sheet would be ${size}, and a pdf has at most ${MAX_SIDE_PT} pt a side${advice}`;
  return new ServiceError('ResultTooLargeError', undefined, { details });
}

/** Size of the sheet without its margins, in CSS pixels of the page. A single sheet is as tall as the page. */
export function roomOf(
  { width, height, margins }: Sheet,
  {
    pdf_scale: scale,
    pdf_single_page: isSingle,
    window_height: windowHeight,
  }: DocumentOptions & { readonly window_height: number },
): { readonly width: number; readonly height: number } {
  return {
    width: (width - margins.left - margins.right) / scale,
    height: isSingle ? windowHeight : (height - margins.top - margins.bottom) / scale,
  };
}

/** The @page rule for this sheet. It needs `!important` to win against the page's own. */
export function pageRule({ width, height, isNamed, fixedMargins }: Sheet): string {
  const size = isNamed ? `size: ${toInches(width)}in ${toInches(height)}in !important; ` : '';
  const margins = Object.entries(fixedMargins).map(([side, px]) => `margin-${side}: ${px}px !important; `);
  return size === '' && margins.length === 0 ? '' : `@page { ${size}${margins.join('')}}`;
}

function paperOf(options: DocumentOptions): { readonly width: number; readonly height: number } {
  const [paperWidth, paperHeight] = PAPER_SIZES[options.pdf_format ?? DEFAULT_PAPER];
  const width = options.pdf_width ?? fromInches(paperWidth);
  const height = options.pdf_height ?? fromInches(paperHeight);
  const isAcross = width >= height;
  // A single sheet has a width only, so there is nothing to rotate.
  const isLandscape =
    options.pdf_landscape && !isAcross && (options.pdf_width === undefined || options.pdf_height !== undefined);
  return isLandscape ? { width: height, height: width } : { width, height };
}

function shown(pixels: number): string {
  return `${Math.round(toPoints(pixels) * 10) / 10}`;
}
