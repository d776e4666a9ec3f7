import type { Pdfium } from './pdfium.ts';

/** Why a document can't be opened. */
export type PdfProblem = 'not_a_pdf' | 'password_needed' | 'unsupported';

export class PdfProblemError extends Error {
  override readonly name = 'PdfProblemError';
  readonly problem: PdfProblem;

  constructor(problem: PdfProblem) {
    super(`the document can't be read: ${problem}`);
    this.problem = problem;
  }
}

/** Codes of `FPDF_GetLastError`. */
const PROBLEMS: Readonly<Record<number, PdfProblem>> = { 3: 'not_a_pdf', 4: 'password_needed', 5: 'unsupported' };

/**
 * Calls `use` with an open document.
 * @throws PdfProblemError if it can't be opened
 */
export function withDocument<T>(
  pdfium: Pdfium,
  { body, password = '' }: { readonly body: Uint8Array; readonly password?: string | undefined },
  use: (document: number) => T,
): T {
  return pdfium.withBytes(body.length, (address) => {
    pdfium.write(address, body);
    const document = pdfium.FPDF_LoadMemDocument(address, body.length, password);
    if (document === 0) throw new PdfProblemError(PROBLEMS[pdfium.FPDF_GetLastError()] ?? 'not_a_pdf');
    try {
      return use(document);
    } finally {
      pdfium.FPDF_CloseDocument(document);
    }
  });
}

/** Calls `use` with an open page. Undefined if the page can't be read. */
export function withPage<T>(pdfium: Pdfium, document: number, index: number, use: (page: number) => T): T | undefined {
  const page = pdfium.FPDF_LoadPage(document, index);
  if (page === 0) return undefined;
  try {
    return use(page);
  } finally {
    pdfium.FPDF_ClosePage(page);
  }
}

/** Form fields of a document: values that have no appearance of their own get one. Scripts never run. */
export interface Forms {
  /** Calls `use` with an open page whose fields show their values. Undefined if the page can't be read. */
  readonly withPage: <T>(index: number, use: (page: number) => T) => T | undefined;
  /** Draws the fields of a page into a bitmap of this size. */
  readonly draw: (page: number, bitmap: number, size: { readonly width: number; readonly height: number }) => void;
}

/** Calls `use` with the form fields of an open document. */
export function withForms<T>(pdfium: Pdfium, document: number, use: (forms: Forms) => T): T {
  const info = pdfium.PDFiumExt_OpenFormFillInfo();
  const form = pdfium.PDFiumExt_InitFormFillEnvironment(document, info);
  if (form !== 0) pdfium.FPDF_SetFormFieldHighlightAlpha(form, 0);
  try {
    return use({
      withPage: (index, usePage) =>
        withPage(pdfium, document, index, (page) => {
          if (form === 0) return usePage(page);
          pdfium.FORM_OnAfterLoadPage(page, form);
          try {
            return usePage(page);
          } finally {
            pdfium.FORM_OnBeforeClosePage(page, form);
          }
        }),
      draw: (page, bitmap, { width, height }) => {
        if (form !== 0) pdfium.FPDF_FFLDraw(form, bitmap, page, 0, 0, width, height, 0, DRAWING);
      },
    });
  } finally {
    if (form !== 0) pdfium.PDFiumExt_ExitFormFillEnvironment(form);
    pdfium.PDFiumExt_CloseFormFillInfo(info);
  }
}

/** Flags: draws annotations, too, and writes red before blue. */
export const DRAWING = 0x01 | 0x10;
