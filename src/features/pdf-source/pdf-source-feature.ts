import type { Feature } from '../../core/feature.ts';
import { checkFile, fileOf, showPdf, type ShownOptions } from './show-pdf.ts';
import { pdfSourceFields } from './pdf-source-fields.ts';

const TYPES: ReadonlySet<string> = new Set(['application/pdf', 'application/x-pdf']);
/** Types of servers that do not know what they send. */
const UNKNOWN_TYPES: ReadonlySet<string> = new Set([
  '',
  'application/octet-stream',
  'application/x-download',
  'application/force-download',
  'binary/octet-stream',
]);
/** A file name in a header Content-Disposition. */
const NAMES_PDF = /\.pdf["']?\s*(?:;|$)/i;
const MARK = '%PDF-';
/** Readers accept other bytes before the mark of a PDF. */
const HEAD_BYTES = 1_024;

/** Shows PDFs: their pages in pictures, and their text in formats of text. */
export const PDF_SOURCE = {
  fields: { source: pdfSourceFields },
  check: checkFile,
  standIn: {
    given: fileOf,
    isLikely: ({ url, pdf_page: page }: ShownOptions) => page !== undefined || isNamedPdf(url ?? ''),
    isOfType: ({ mimeType, url, disposition }) =>
      TYPES.has(mimeType) || (UNKNOWN_TYPES.has(mimeType) && (isNamedPdf(url) || NAMES_PDF.test(disposition))),
    isFile: (body) => body.subarray(0, HEAD_BYTES).includes(MARK, 0, 'latin1'),
    make: showPdf,
  },
} satisfies Feature;

function isNamedPdf(url: string): boolean {
  return /\.pdf$/i.test(URL.parse(url)?.pathname ?? '');
}
