import { z } from 'zod';
import { booleanField, fieldsOf, integerField, numberField, textField } from '../../core/steps/common/fields.ts';
import { LENGTH_ERROR, LENGTH_FORM, numberLength, toPixels, writtenLength } from './length.ts';
import { pageRanges } from './page-ranges.ts';
import { encryptionFields } from './encryption/encryption-fields.ts';
import { standardFields } from './standards/standard-fields.ts';
import { DEFAULT_PAPER, PAPER_NAMES, SIDES } from './paper-sizes.ts';

/** Maximum length of a header or footer. */
export const MAX_TEMPLATE_LENGTH = 20_000;
const MAX_FACT_LENGTH = 1_000;
const MAX_WATERMARK_LENGTH = 100;
const HEADER_NOTE =
  'Markup above each page. Default text size: 10 px. Classes `date title url pageNumber totalPages` are filled in. No scripts, nothing from the network: pictures as `data:`';

const PAPER_ERROR = `must be one of ${PAPER_NAMES.join(', ')}`;

/** Name of a paper format, in upper or lower case. Parsed to the name in the table. */
const paper = z
  .string({ error: PAPER_ERROR })
  .transform((text) => PAPER_NAMES.find((name) => name.toLowerCase() === text.toLowerCase()))
  .pipe(z.enum(PAPER_NAMES, { error: PAPER_ERROR }));

/** A length. Parsed to CSS pixels. */
const side = writtenLength.transform((written, context) => {
  const pixels = toPixels(written);
  if (pixels !== undefined && pixels > 0) return pixels;
  context.addIssue({ code: 'custom', message: `${LENGTH_ERROR}; above 0`, input: written });
  return z.NEVER;
});

const MARGIN_ERROR = `${LENGTH_ERROR}; or an object of such with any of ${SIDES.join(', ')}`;

/** One margin for all sides, or margins by side. Parsed to CSS pixels per side. */
const margin = z
  .union(
    [
      numberLength,
      z.string(),
      z.strictObject({
        top: writtenLength.optional(),
        right: writtenLength.optional(),
        bottom: writtenLength.optional(),
        left: writtenLength.optional(),
        default: z.boolean({ error: 'must be true or false' }).optional(),
      }),
    ],
    { error: MARGIN_ERROR },
  )
  .transform((written, context) => {
    const bySide = SIDES.map((name) => [name, typeof written === 'object' ? written[name] : written] as const);
    const pixels: { top?: number; right?: number; bottom?: number; left?: number; default?: boolean } = {};
    for (const [name, length] of bySide) {
      if (length === undefined) continue;
      const value = toPixels(length);
      if (value === undefined) {
        const isOneLength = typeof written !== 'object';
        const message = isOneLength ? MARGIN_ERROR : LENGTH_ERROR;
        context.addIssue({ code: 'custom', message, path: isOneLength ? [] : [name], input: length });
        return z.NEVER;
      }
      pixels[name] = value;
    }
    if (typeof written === 'object' && written.default !== undefined) pixels.default = written.default;
    return pixels;
  });

const template = (description: string, example: string) =>
  textField(MAX_TEMPLATE_LENGTH, { description, example }).optional();

const fact = (description: string, example: string) => textField(MAX_FACT_LENGTH, { description, example }).optional();

export const documentFields = fieldsOf('document', {
  pdf_format: paper
    .meta({
      description: `Paper size. Unset: the @page size of the page, or ${DEFAULT_PAPER}`,
      example: 'Letter',
      examples: PAPER_NAMES,
      accepts: `${PAPER_NAMES.map((name) => `\`${name}\``).join(', ')}, in any case`,
    })
    .optional(),
  pdf_print_background: booleanField({
    description: 'Print background colours and pictures',
    example: false,
  }).default(true),
  pdf_landscape: booleanField({
    description: `Landscape paper, ${DEFAULT_PAPER} by default. The @page size of the page is ignored`,
    example: true,
  }).default(false),
  pdf_scale: numberField({ min: 0.1, max: 2 }, { description: 'Scale of the print', example: 0.8 }).default(1),
  pdf_margin: margin
    .meta({
      description:
        'Margins: one length for all sides, or one for each side. Unset: the @page margin of the page, or 1cm. With `default: true`, @page margins of the page win',
      example: { top: '2cm', bottom: '15mm' },
      accepts: `${LENGTH_FORM}; or an object with any of \`top\`, \`right\`, \`bottom\`, \`left\`, and \`default\``,
    })
    .optional(),
  pdf_width: side
    .meta({
      description: 'Paper width, instead of `pdf_format`',
      example: '80mm',
      accepts: `${LENGTH_FORM}; 14,400 pt at most`,
    })
    .optional(),
  pdf_height: side
    .meta({
      description: 'Paper height; needs `pdf_width`',
      example: '200mm',
      accepts: `${LENGTH_FORM}; 14,400 pt at most`,
    })
    .optional(),
  pdf_page_ranges: pageRanges
    .meta({
      description: 'Pages to print, in the order of the document. A range may end after the last page',
      example: '1-3,5,8-',
      accepts: 'pages and ranges such as `1-3,5,8-`',
    })
    .optional(),
  pdf_single_page: booleanField({
    description:
      'Print the whole page on one sheet. The sheet is as wide as `pdf_width`, `pdf_format` or A4, and as tall as the page',
    example: true,
  }).default(false),
  pdf_header_html: template(HEADER_NOTE, '<span class="title"></span>'),
  pdf_footer_html: template(
    'Markup below each page, with the same rules as `pdf_header_html`',
    'Page <span class="pageNumber"></span> of <span class="totalPages"></span>',
  ),
  pdf_outline: booleanField({ description: 'Add bookmarks from the headings', example: true }).default(false),
  pdf_tagged: booleanField({
    description: 'Add accessibility tags for headings, lists and tables. `pdf_outline` needs them',
    example: false,
  }).default(true),
  pdf_title: fact('Title of the document. Unset: the title of the page', 'Invoice 4711'),
  pdf_author: fact('Author of the document', 'Example Ltd'),
  pdf_subject: fact('Subject of the document', 'Services in March'),
  pdf_keywords: fact('Keywords of the document', 'invoice, march'),
  pdf_image_quality: integerField(
    { min: 1, max: 100 },
    {
      description:
        'Quality of opaque photographs that the browser would store without loss: rotated ones, and those of webp, avif, png and CMYK. Unset: without loss, which takes several times the bytes',
      example: 85,
    },
  ).optional(),
  pdf_watermark: textField(MAX_WATERMARK_LENGTH, {
    description: 'Text across each sheet, over the content. It is drawn as paths, so search and copying do not find it',
    example: 'DRAFT',
  }).optional(),
  ...standardFields,
  ...encryptionFields,
});

/** The parsed fields of a PDF. Lengths are CSS pixels. */
export type DocumentOptions = z.output<typeof documentFields>;
