/** A page of a document: its size in points, its drawing commands, and more entries of its dictionary. */
interface PlainPage {
  readonly size?: readonly [width: number, height: number];
  readonly commands?: string;
  readonly entries?: string;
}

/** Objects besides the pages, and more entries of the catalogue. Their numbers begin after those of the pages. */
interface More {
  readonly objects?: readonly string[];
  readonly entries?: string;
  readonly trailer?: string;
  /** False: pages have no font. */
  readonly hasFont?: boolean;
}

/** The number of the first object beside those of so many pages. */
export const firstFree = (pages: number): number => 4 + 2 * pages;

/** The object number of a page, from 0. */
export const pageNumber = (index: number): number => 4 + 2 * index;

/**
 * Returns a document with a page for each of the list, written by hand: what a library would refuse to write can be
 * tested, too. Texts are in Helvetica, which is `/F`.
 */
export function plainPdf(
  pages: readonly PlainPage[],
  { objects = [], entries = '', trailer = '', hasFont = true }: More = {},
): Buffer {
  const kids = pages.map((_, index) => `${pageNumber(index)} 0 R`).join(' ');
  const all = [
    `<</Type/Catalog/Pages 2 0 R${entries}>>`,
    `<</Type/Pages/Count ${pages.length}/Kids[${kids}]>>`,
    '<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>',
    ...pages.flatMap(({ size: [width, height] = [300, 200], commands = '', entries: own = '' }, index) => [
      `<</Type/Page/Parent 2 0 R/MediaBox[0 0 ${width} ${height}]/Resources<<${hasFont ? '/Font<</F 3 0 R>>' : ''}>>/Contents ${pageNumber(index) + 1} 0 R${own}>>`,
      `<</Length ${commands.length}>>\nstream\n${commands}\nendstream`,
    ]),
    ...objects,
  ];
  let text = '%PDF-1.7\n';
  const table = all.map((object, index) => {
    const at = text.length;
    text += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(at).padStart(10, '0')} 00000 n \n`;
  });
  const rows = `xref\n0 ${all.length + 1}\n0000000000 65535 f \n${table.join('')}`;
  return Buffer.from(
    `${text}${rows}trailer<</Size ${all.length + 1}/Root 1 0 R${trailer}>>\nstartxref\n${text.length}\n%%EOF\n`,
    'latin1',
  );
}

/** Returns the commands that write lines of text, each at its place in points from the lower left corner. */
export function texts(...lines: readonly (readonly [x: number, y: number, text: string, size?: number])[]): string {
  return lines.map(([x, y, text, size = 12]) => `BT /F ${size} Tf ${x} ${y} Td (${text}) Tj ET`).join('\n');
}
