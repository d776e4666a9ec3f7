import type { Pdfium } from './pdfium.ts';

/** Why a document can't be opened. */
export type PdfProblem = 'not_a_pdf' | 'password_needed' | 'unsupported';

export class PdfProblemError extends Error {
  override readonly name = 'PdfProblemError';
  readonly problem: PdfProblem;

  constructor(problem: PdfProblem) {
    super(problem);
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
