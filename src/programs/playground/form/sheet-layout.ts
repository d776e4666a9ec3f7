import type { Values } from './values.ts';

/** Layout of a sheet in inches. */
export interface SheetLayout {
  readonly width: number;
  readonly height: number;
  readonly margin: Readonly<Record<Side, number>>;
  readonly hasHeader: boolean;
  readonly hasFooter: boolean;
  /** True if the height follows the page, which is unknown. */
  readonly isEndless: boolean;
  /** True if the form sets the paper; otherwise a page may set it. */
  readonly isNamed: boolean;
  /** Scale of the print. */
  readonly scale: number;
}

const SIDES = ['top', 'right', 'bottom', 'left'] as const;
type Side = (typeof SIDES)[number];

const MM = 1 / 25.4;
const INCHES_PER: Readonly<Record<string, number>> = { mm: MM, cm: 10 * MM, in: 1, px: 1 / 96, pt: 1 / 72 };
const LENGTH = /^(\d+(?:\.\d+)?|\.\d+)(mm|cm|in|px|pt)?$/;
const USUAL_MARGIN = 0.4;
const MARGIN_BESIDE_TEMPLATE = 10 * MM;
const [A4_WIDTH, A4_HEIGHT] = [210 * MM, 297 * MM];
const AMERICAN: Readonly<Record<string, readonly [number, number]>> = {
  letter: [8.5, 11],
  legal: [8.5, 14],
  tabloid: [11, 17],
  ledger: [17, 11],
};

/** Computes the layout from the values. Undefined if it can't be drawn, for example with an incomplete length. */
export function layOutSheet(values: Values): SheetLayout | undefined {
  const paper = paperOf(values);
  if (paper === undefined) return undefined;
  const [short, long] = paper.toSorted((a, b) => a - b);
  const isEndless = values['pdf_single_page'] === true;
  // A single sheet with its own width can't be rotated.
  const isLandscape = values['pdf_landscape'] === true && !(isEndless && values['pdf_width'] !== undefined);
  const [width = 0, height = 0] = isLandscape ? [long, short] : paper;
  const hasHeader = values['pdf_header_html'] !== undefined;
  const hasFooter = values['pdf_footer_html'] !== undefined;
  const given = values['pdf_margin'];
  const usual = {
    top: hasHeader ? MARGIN_BESIDE_TEMPLATE : USUAL_MARGIN,
    right: USUAL_MARGIN,
    bottom: hasFooter ? MARGIN_BESIDE_TEMPLATE : USUAL_MARGIN,
    left: USUAL_MARGIN,
  };
  const marginAt = (side: Side): number | undefined => {
    if (given === undefined) return usual[side];
    if (typeof given !== 'object' || given === null) return toInches(given);
    const own: unknown = Object.getOwnPropertyDescriptor(given, side)?.value;
    return own === undefined ? usual[side] : toInches(own);
  };
  const [top, right, bottom, left] = SIDES.map(marginAt);
  if (top === undefined || right === undefined || bottom === undefined || left === undefined) return undefined;
  if (left + right >= width || top + bottom >= height) return undefined;
  const scale = values['pdf_scale'];
  return {
    width,
    height,
    margin: { top, right, bottom, left },
    hasHeader,
    hasFooter,
    isEndless,
    isNamed: ['pdf_format', 'pdf_width', 'pdf_landscape', 'pdf_single_page'].some(
      (name) => values[name] !== undefined && values[name] !== false,
    ),
    scale: typeof scale === 'number' && scale > 0 ? scale : 1,
  };
}

function paperOf(values: Values): readonly [number, number] | undefined {
  const [ownWidth, ownHeight] = [values['pdf_width'], values['pdf_height']];
  if (ownWidth !== undefined || ownHeight !== undefined) {
    const width = toInches(ownWidth);
    // The height of a single sheet is unknown; it is drawn with the proportions of A4.
    const height = values['pdf_single_page'] === true ? (width ?? 0) * Math.SQRT2 : toInches(ownHeight);
    return width === undefined || height === undefined || width * height === 0 ? undefined : [width, height];
  }
  const format = values['pdf_format'] ?? 'A4';
  const name = typeof format === 'string' ? format.toLowerCase() : '';
  const number = /^a([0-6])$/.exec(name)?.[1];
  if (number === undefined) return AMERICAN[name];
  const factor = 2 ** ((4 - Number(number)) / 2); // each paper size is half of the size before
  return [A4_WIDTH * factor, A4_HEIGHT * factor];
}

function toInches(length: unknown): number | undefined {
  const [, number, unit = 'px'] = LENGTH.exec(String(length).trim().toLowerCase()) ?? [];
  const inches = INCHES_PER[unit];
  return number === undefined || inches === undefined ? undefined : Number(number) * inches;
}
