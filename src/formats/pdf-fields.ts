import { z } from 'zod';
import { booleanField } from '../capture/fields.ts';

const MM_PER_INCH = 25.4;
const iso = (widthMm: number, heightMm: number): readonly [number, number] => [
  widthMm / MM_PER_INCH,
  heightMm / MM_PER_INCH,
];

/** Width and height in inches, as the sheet is named: Ledger is Tabloid turned. */
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
} as const;

export type PaperName = keyof typeof PAPER_SIZES;

const PAPER_NAMES = Object.keys(PAPER_SIZES) as PaperName[]; // the keys of a const table: exactly these
const PAPER_ERROR = `must be one of ${PAPER_NAMES.join(', ')}`;

/** Any case is accepted; parsed to the name as the table has it. */
const paper = z.string({ error: PAPER_ERROR }).transform((text, context): PaperName => {
  const name = PAPER_NAMES.find((candidate) => candidate.toLowerCase() === text.toLowerCase());
  if (name !== undefined) return name;
  context.issues.push({ code: 'custom', message: PAPER_ERROR, input: text });
  return z.NEVER;
});

export const documentFields = z.object({
  pdf_format: paper
    .meta({ description: `Paper of a pdf: ${PAPER_NAMES.join(', ')}`, example: 'Letter' })
    .default('A4'),
  pdf_print_background: booleanField({
    description: 'Print background colours and pictures',
    example: false,
  }).default(true),
});
