import { getDocument, VerbosityLevel, type PDFPageProxy } from 'pdfjs-dist/legacy/build/pdf.mjs';

/** What a PDF holds, as far as tests ask. */
export interface Pdf {
  readonly pages: readonly PdfPage[];
  /** The addresses of all links, in page order. */
  readonly links: readonly string[];
  /** The bookmarks, those below a bookmark after it. */
  readonly outline: readonly string[];
  /** What the document says of itself: Title, Author and so on. */
  readonly facts: Readonly<Record<string, unknown>>;
}

interface PdfPage {
  /** In points, 1/72 inch: A4 is 595 by 842, rounded. */
  readonly widthPt: number;
  readonly heightPt: number;
  /** All text in reading order, one space between runs. */
  readonly text: string;
  readonly runs: readonly PdfRun[];
  /** The roles of what is on the page, from its beginning, for who reads by ear: H1, P, Table; none without tags. */
  readonly tags: readonly string[];
}

/** Text in one piece. In points, from the left and upper edge of the page to its left and lower corner. */
interface PdfRun {
  readonly text: string;
  readonly leftPt: number;
  readonly baselinePt: number;
  /** Of its letters. */
  readonly heightPt: number;
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
    const { info } = await document.getMetadata();
    return {
      pages,
      links,
      outline: titlesOf(await document.getOutline()),
      facts: Object.fromEntries(Object.entries(info)),
    };
  } finally {
    await loading.destroy();
  }
}

async function readPage(page: PDFPageProxy): Promise<PdfPage> {
  const { width, height } = page.getViewport({ scale: 1 });
  const content = await page.getTextContent();
  const runs = content.items.flatMap((item) => {
    if (!('str' in item) || item.str.trim() === '') return [];
    const [leftPt, baseline] = item.transform.slice(4).map(Number);
    return [
      { text: item.str, leftPt: leftPt ?? 0, baselinePt: height - (baseline ?? 0), heightPt: item.height },
    ];
  });
  const texts = content.items.map((item) => ('str' in item ? item.str : ''));
  const text = texts.join(' ').replaceAll(/\s+/gu, ' ').trim();
  return { widthPt: width, heightPt: height, text, runs, tags: rolesOf(await page.getStructTree()) };
}

/** A node of the outline, or of the tags, with those below it. */
interface TreeNode {
  readonly title?: string;
  readonly role?: string;
  /** Of a piece of content, which has no role. */
  readonly type?: string;
  readonly items?: readonly TreeNode[];
  readonly children?: readonly TreeNode[];
}

function titlesOf(nodes: readonly TreeNode[] | null): string[] {
  return (nodes ?? []).flatMap(({ title = '', items = [] }) => [title, ...titlesOf(items)]);
}

function rolesOf(node: TreeNode | null): string[] {
  if (node === null) return [];
  return [...(node.role === undefined ? [] : [node.role]), ...(node.children ?? []).flatMap(rolesOf)];
}

async function readLinks(page: PDFPageProxy): Promise<string[]> {
  const annotations: unknown[] = await page.getAnnotations();
  return annotations.flatMap((annotation) => {
    if (typeof annotation !== 'object' || annotation === null || !('url' in annotation)) return [];
    return typeof annotation.url === 'string' ? [annotation.url] : [];
  });
}
