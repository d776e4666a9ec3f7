import { loadSharp } from '../../core/ground/load-sharp.ts';
import type { PdfContents, PdfPage } from '../../features/pdf-reader/pdf-contents.ts';
import type { PdfReader } from '../../features/pdf-reader/pdf-reader.ts';
import { compareWords } from './compare-words.ts';
import type { Finding, PictureDifference } from './finding.ts';

const MOST_PAGES = 1_000;
/** Pages that are compared as pictures, unless the tools say otherwise. */
const MOST_DRAWN = 1_000;
const MOST_FINDINGS = 40;
const MAX_PIXELS = 30_000_000;
const PIXELS_PER_POINT = 96 / 72;
/** Difference of the paper in points that is no rounding. */
const OTHER_PAPER_PT = 0.5;

/** Marks of a document that are no words: standards, tags, bookmarks, attachments. */
const FACTS = {
  tags: '/StructTreeRoot',
  bookmarks: '/Outlines',
  'an output intent': '/OutputIntents',
  'a language': '/Lang',
  'attached files': '/EmbeddedFiles',
  'the mark of PDF/A': 'pdfaid:part',
  'the mark of PDF/UA': 'pdfuaid:part',
} as const;

/** Objects that a document has many of, which Chrome writes as plain text. */
const LISTED = {
  links: /\/URI \(((?:\\[\s\S]|[^\\)])*)\)/g,
  tags: /\/Type \/StructElem\s*\/S \/(\w+)/g,
  bookmarks: /\/Title (\((?:\\[\s\S]|[^\\)])*\)|<[\dA-F]*>)\s*\/(?:Dest|Parent|A)\b/g,
} as const;
const INFO_NAMES = ['Title', 'Author', 'Subject', 'Keywords'];

export interface DocumentTools {
  /** Number of the pages that are compared as pictures. */
  readonly mostDrawn?: number;
  readonly reader: Pick<PdfReader, 'read' | 'draw'>;
  /** Compares two pictures, each the bytes of a file. */
  readonly comparePictures: (before: Uint8Array, after: Uint8Array) => Promise<PictureDifference>;
}

/**
 * Compares two documents: pages, paper, words and their places, fonts, pictures of the pages.
 * @throws Error if one of them can't be read
 */
export async function compareDocuments(
  before: Uint8Array,
  after: Uint8Array,
  { reader, comparePictures, mostDrawn = MOST_DRAWN }: DocumentTools,
): Promise<readonly Finding[]> {
  const range = { firstPage: 1, maxPages: MOST_PAGES };
  const old = await reader.read(before, range);
  const now = await reader.read(after, range);
  const findings: Finding[] = [
    ...comparePages(old, now),
    ...compareFonts(old, now),
    ...compareFacts(before, after),
    ...compareInfo(old, now),
  ];
  for (const [index, page] of old.pages.entries()) {
    const other = now.pages[index];
    if (other === undefined || findings.length >= MOST_FINDINGS) break;
    const number = index + 1;
    findings.push(...comparePaper(page, other, number), ...compareWords(page, other, number));
    if (index >= mostDrawn) continue;
    const width = Math.max(1, Math.round(page.width * PIXELS_PER_POINT));
    const draw = async (body: Uint8Array): Promise<Uint8Array | undefined> => {
      const drawn = await reader.draw(body, { page: number, width, maxPixels: MAX_PIXELS });
      return drawn && (await pngOf(drawn));
    };
    const [first, second] = [await draw(before), await draw(after)];
    if (first === undefined || second === undefined || Buffer.compare(first, second) === 0) continue;
    findings.push(...pixelsOf(await comparePictures(first, second), number));
  }
  return findings;
}

/** Returns a picture as a PNG. */
async function pngOf({
  width,
  height,
  pixels,
}: {
  width: number;
  height: number;
  pixels: Uint8Array;
}): Promise<Buffer> {
  const sharp = await loadSharp();
  return await sharp(pixels, { raw: { width, height, channels: 4 } })
    .png({ compressionLevel: 1 })
    .toBuffer();
}

/** Returns the finding of a comparison of pictures, if they differ. */
export function pixelsOf({ regions, ratio }: PictureDifference, page?: number): readonly Finding[] {
  const [largest] = regions.toSorted((a, b) => b.width * b.height - a.width * a.height);
  if (largest === undefined) return [];
  const { x, y, width, height } = largest;
  const where = page === undefined ? '' : `page ${page}: `;
  const count = `${regions.length} ${regions.length === 1 ? 'region differs' : 'regions differ'}`;
  const message = `${where}${count}, ${(100 * ratio).toFixed(2)} % of the pixels; the largest at ${x},${y} has ${width} x ${height}`;
  if (page === undefined) return [{ kind: 'pixels', message, box: largest }];
  const [left, top, wide, high] = [x, y, width, height].map((pixels) => pixels / PIXELS_PER_POINT);
  return [{ kind: 'pixels', message, page, box: { x: left ?? 0, y: top ?? 0, width: wide ?? 0, height: high ?? 0 } }];
}

function comparePages({ pageCount: old }: PdfContents, { pageCount: now }: PdfContents): readonly Finding[] {
  return old === now ? [] : [{ kind: 'pages', message: `the document has ${now} pages instead of ${old}` }];
}

function comparePaper(before: PdfPage, after: PdfPage, page: number): readonly Finding[] {
  const differs = (side: 'width' | 'height'): boolean => Math.abs(before[side] - after[side]) > OTHER_PAPER_PT;
  if (!differs('width') && !differs('height')) return [];
  return [{ kind: 'paper', page, message: `page ${page} has ${sizeOf(after)} instead of ${sizeOf(before)}` }];
}

function sizeOf({ width, height }: PdfPage): string {
  return `${width.toFixed(1)} x ${height.toFixed(1)} pt`;
}

function compareFonts({ fonts: old }: PdfContents, { fonts: now }: PdfContents): readonly Finding[] {
  const lost = old.filter((name) => !now.includes(name));
  const added = now.filter((name) => !old.includes(name));
  if (lost.length === 0 && added.length === 0) return [];
  const parts = [lost.length > 0 && `lost ${lost.join(', ')}`, added.length > 0 && `got ${added.join(', ')}`];
  return [{ kind: 'fonts', message: `the fonts differ: the document ${parts.filter(Boolean).join(' and ')}` }];
}

function compareFacts(before: Uint8Array, after: Uint8Array): readonly Finding[] {
  const [old, now] = [textOf(before), textOf(after)];
  const lost = Object.entries(FACTS).flatMap(([name, mark]) => {
    const [had, has] = [old.includes(mark), now.includes(mark)];
    if (had === has) return [];
    return [
      { kind: 'facts' as const, message: had ? `the document has lost ${name}` : `the document has got ${name}` },
    ];
  });
  const listed = Object.entries(LISTED).flatMap(([name, pattern]) => {
    const [first, second] = [old, now].map((text) =>
      Array.from(text.matchAll(pattern), ([, item = '']) => item).toSorted(),
    );
    const differs = first?.join('\n') !== second?.join('\n');
    return differs ? [{ kind: 'facts' as const, message: `the ${name} differ` }] : [];
  });
  return [...lost, ...listed];
}

function compareInfo({ info: old }: PdfContents, { info: now }: PdfContents): readonly Finding[] {
  return INFO_NAMES.filter((name) => old[name] !== now[name]).map((name) => ({
    kind: 'facts',
    message: `the ${name.toLowerCase()} is ${JSON.stringify(now[name] ?? '')} instead of ${JSON.stringify(old[name] ?? '')}`,
  }));
}

function textOf(document: Uint8Array): string {
  return Buffer.from(document.buffer, document.byteOffset, document.length).toString('latin1');
}
