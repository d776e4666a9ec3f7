// Child process that reads and draws documents with PDFium.
import { type Call, serveCalls } from '../../core/processes/peer-calls.ts';
import { drawPage, type PageDrawing } from './draw-page.ts';
import { PdfProblemError } from './open-document.ts';
import type { PdfRange } from './pdf-contents.ts';
import { loadPdfium } from './pdfium.ts';
import { readContents } from './read-contents.ts';
import { showDocument, type Showing } from './show-document.ts';

const loading = loadPdfium();

/** Errors lose their class on the way to the caller, so a problem of the document is a value. */
async function answered<T>(work: () => T): Promise<{ readonly value: T } | { readonly problem: string }> {
  try {
    return { value: work() };
  } catch (error) {
    if (error instanceof PdfProblemError) return { problem: error.problem };
    throw error;
  }
}

const WORK = { read: readContents, draw: drawPage, show: showDocument };

serveCalls({
  run: async ({ name, args: [body, options] }: Call<[Uint8Array, PdfRange & PageDrawing & Showing]>) => {
    const pdfium = await loading;
    const work = Object.entries(WORK).find(([known]) => known === name)?.[1] ?? readContents;
    return await answered(() => work(pdfium, body, options));
  },
});
