import type { PdfPicture } from './pdf-contents.ts';
import type { Pdfium } from './pdfium.ts';
import { withDocument, withPage } from './open-document.ts';

/** Draws annotations, too, and writes red before blue. */
const DRAWING = { annotations: 0x01, redFirst: 0x10 };
const WHITE = 0xffffffff;
const CHANNELS = 4;

export interface PageDrawing {
  readonly password?: string | undefined;
  /** Number of the page, from 1. */
  readonly page: number;
  /** Width of the picture in pixels. */
  readonly width: number;
  readonly maxPixels: number;
}

/**
 * Draws a page with its annotations and form fields. Undefined if there is no such page, or the picture would be too
 * large.
 * @throws PdfProblemError
 */
export function drawPage(
  pdfium: Pdfium,
  body: Uint8Array,
  { password, page: number, width, maxPixels }: PageDrawing,
): PdfPicture | undefined {
  return withDocument(pdfium, { body, password }, (document) =>
    withPage(pdfium, document, number - 1, (page) => {
      const ratio = pdfium.FPDF_GetPageHeightF(page) / pdfium.FPDF_GetPageWidthF(page);
      const height = Math.max(1, Math.round(width * ratio));
      if (!Number.isFinite(height) || width * height > maxPixels) return undefined;
      const bitmap = pdfium.FPDFBitmap_Create(width, height, 0);
      if (bitmap === 0) return undefined;
      try {
        pdfium.FPDFBitmap_FillRect(bitmap, 0, 0, width, height, WHITE);
        const flags = DRAWING.annotations | DRAWING.redFirst;
        pdfium.FPDF_RenderPageBitmap(bitmap, page, 0, 0, width, height, 0, flags);
        const pixels = pdfium.bytesAt(pdfium.FPDFBitmap_GetBuffer(bitmap), width * height * CHANNELS);
        return { width, height, pixels };
      } finally {
        pdfium.FPDFBitmap_Destroy(bitmap);
      }
    }),
  );
}
