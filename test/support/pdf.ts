import { getDocument, OPS, VerbosityLevel, type PDFPageProxy } from 'pdfjs-dist/legacy/build/pdf.mjs';

/** Contents of a PDF that tests check. */
export interface Pdf {
  readonly pages: readonly PdfPage[];
  /** The targets of all links, in page order. */
  readonly links: readonly string[];
  /** Bookmark titles in document order, nested ones included. */
  readonly outline: readonly string[];
  /** Where the links to places inside the document lead: index of the page, and points from its upper edge. */
  readonly places: Readonly<Record<string, { readonly page: number; readonly topPt: number }>>;
  /** Document metadata: Title, Author, Language and so on. */
  readonly facts: Readonly<Record<string, unknown>>;
}

interface PdfPage {
  /** In points, 1/72 inch: A4 is 595 by 842, rounded. */
  readonly widthPt: number;
  readonly heightPt: number;
  /** All text in reading order, one space between runs. */
  readonly text: string;
  readonly runs: readonly PdfRun[];
  /** Accessibility roles in reading order: H1, P, Table; empty without tags. */
  readonly tags: readonly string[];
}

/** One text run. Coordinates in points, from the left and upper edge of the page to its left and lower corner. */
interface PdfRun {
  readonly text: string;
  readonly leftPt: number;
  readonly baselinePt: number;
  /** Font size in points. */
  readonly heightPt: number;
}

/** Reads every page of a PDF; rejects when the bytes are no PDF. */
export async function readPdf(bytes: Buffer): Promise<Pdf> {
  // Copies the bytes: the reader takes ownership of the memory, and refuses a Buffer.
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
    const destinations: [string, readonly unknown[]][] = Object.entries(await document.getDestinations());
    const places = destinations.map(async ([name, [reference, , , fromBottom]]) => {
      const page = await document.getPageIndex(Object(reference));
      return [name, { page, topPt: (pages[page]?.heightPt ?? 0) - Number(fromBottom) }] as const;
    });
    return {
      places: Object.fromEntries(await Promise.all(places)),
      pages,
      links,
      outline: titlesOf(await document.getOutline()),
      facts: Object.fromEntries(Object.entries(info)),
    };
  } finally {
    await loading.destroy();
  }
}

/** Returns the colour of the upper left pixel of each picture on the first page, in the order in which it is drawn. */
export async function readPictureColours(bytes: Buffer): Promise<readonly (readonly number[])[]> {
  const loading = getDocument({ data: Uint8Array.from(bytes), verbosity: VerbosityLevel.ERRORS });
  try {
    const page = await (await loading.promise).getPage(1);
    const { fnArray: operators, argsArray } = await page.getOperatorList();
    const drawn = argsArray.filter((_args, index) => operators[index] === OPS.paintImageXObject);
    return await Promise.all(
      drawn.map(
        ([id]: [string]) =>
          new Promise<readonly number[]>((resolve) => {
            page.objs.get(id, ({ data }: { readonly data: Uint8Array }) => resolve([...data.subarray(0, 3)]));
          }),
      ),
    );
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
    return [{ text: item.str, leftPt: leftPt ?? 0, baselinePt: height - (baseline ?? 0), heightPt: item.height }];
  });
  const texts = content.items.map((item) => ('str' in item ? item.str : ''));
  const text = texts.join(' ').replaceAll(/\s+/gu, ' ').trim();
  return { widthPt: width, heightPt: height, text, runs, tags: rolesOf(await page.getStructTree()) };
}

/** A node of the outline or of the tag tree, with its children. */
interface TreeNode {
  readonly title?: string;
  readonly role?: string;
  /** Type of a content node, which has no role. */
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
