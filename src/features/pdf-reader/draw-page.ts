import type { PdfPicture } from './pdf-contents.ts';
import type { Pdfium } from './pdfium.ts';
import { DRAWING, type Forms, withDocument, withForms } from './open-document.ts';

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
    withForms(pdfium, document, (forms) =>
      forms.withPage(number - 1, (page) => {
        const ratio = pdfium.FPDF_GetPageHeightF(page) / pdfium.FPDF_GetPageWidthF(page);
        const size = { width, height: Math.max(1, Math.round(width * ratio)) };
        if (!Number.isFinite(size.height) || width * size.height > maxPixels) return undefined;
        return drawOpenPage(pdfium, forms, page, size);
      }),
    ),
  );
}

/** Draws an open page. Undefined if there is too little memory. */
export function drawOpenPage(
  pdfium: Pdfium,
  forms: Forms,
  page: number,
  { width, height }: Pick<PdfPicture, 'width' | 'height'>,
): PdfPicture | undefined {
  const bitmap = pdfium.FPDFBitmap_Create(width, height, 0);
  if (bitmap === 0) return undefined;
  try {
    pdfium.FPDFBitmap_FillRect(bitmap, 0, 0, width, height, WHITE);
    pdfium.FPDF_RenderPageBitmap(bitmap, page, 0, 0, width, height, 0, DRAWING);
    forms.draw(page, bitmap, { width, height });
    const pixels = pdfium.bytesAt(pdfium.FPDFBitmap_GetBuffer(bitmap), width * height * CHANNELS);
    return { width, height, pixels };
  } finally {
    pdfium.FPDFBitmap_Destroy(bitmap);
  }
}
