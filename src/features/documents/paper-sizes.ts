const MM_PER_INCH = 25.4;
const iso = (widthMm: number, heightMm: number): readonly [number, number] => [
  widthMm / MM_PER_INCH,
  heightMm / MM_PER_INCH,
];

export const PAPER_NAMES = ['A0', 'A1', 'A2', 'A3', 'A4', 'A5', 'A6', 'Letter', 'Legal', 'Tabloid', 'Ledger'] as const;

/** Width and height in inches, in the orientation of the name: Ledger is Tabloid rotated. */
export const PAPER_SIZES = {
  A0: iso(841, 1189),
  A1: iso(594, 841),
  A2: iso(420, 594),
  A3: iso(297, 420),
  A4: iso(210, 297),
  A5: iso(148, 210),
  A6: iso(105, 148),
  Letter: [8.5, 11],
  Legal: [8.5, 14],
  Tabloid: [11, 17],
  Ledger: [17, 11],
} as const satisfies Record<(typeof PAPER_NAMES)[number], readonly [number, number]>;

/** Not a default of the schema, because the page may set its own paper if the request sets none. */
export const DEFAULT_PAPER = 'A4';

/** Sides of the paper, in the order of CSS. */
export const SIDES = ['top', 'right', 'bottom', 'left'] as const;
