import { getDocument, VerbosityLevel, type PDFPageProxy } from 'pdfjs-dist/legacy/build/pdf.mjs';

/** What a PDF holds, as far as tests ask. */
export interface Pdf {
  readonly pages: readonly PdfPage[];
  /** The addresses of all links, in page order. */
  readonly links: readonly string[];
}

interface PdfPage {
  /** In points, 1/72 inch: A4 is 595 by 842, rounded. */
  readonly widthPt: number;
  readonly heightPt: number;
  /** All text in reading order, one space between runs. */
  readonly text: string;
}

/** Reads every page of a PDF; rejects when the bytes are no PDF. */
export async function readPdf(bytes: Buffer): Promise<Pdf> {
  // A copy: the reader takes ownership of the memory, and refuses a Buffer.
  const loading = getDocument({ data: Uint8Array.from(bytes), verbosity: VerbosityLevel.ERRORS });
  try {
    const document = await loading.promise;
    const pages: PdfPage[] = [];
    const links: string[] = [];
    for (let number = 1; number <= document.numPages; number += 1) {
      const page = await document.getPage(number);
      pages.push(await readPage(page));
      links.push(...(await readLinks(page)));
    }
    return { pages, links };
  } finally {
    await loading.destroy();
  }
}

async function readPage(page: PDFPageProxy): Promise<PdfPage> {
  const { width, height } = page.getViewport({ scale: 1 });
  const content = await page.getTextContent();
  const runs = content.items.map((item) => ('str' in item ? item.str : ''));
  return { widthPt: width, heightPt: height, text: runs.join(' ').replaceAll(/\s+/gu, ' ').trim() };
}

async function readLinks(page: PDFPageProxy): Promise<string[]> {
  const annotations: unknown[] = await page.getAnnotations();
  return annotations.flatMap((annotation) => {
    if (typeof annotation !== 'object' || annotation === null || !('url' in annotation)) return [];
    return typeof annotation.url === 'string' ? [annotation.url] : [];
  });
}
