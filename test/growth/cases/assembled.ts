import { firstFree, pageNumber, plainPdf, texts } from '../../support/plain-pdf.ts';
import type { GrowthCase, GrowingRequest } from '../growth-case.ts';

const pagesOf = (size: number) => Array.from({ length: size }, (_, i) => ({ commands: texts([20, 100, `Page ${i}`]) }));
const posted = (path: string, body: object): GrowingRequest => ({ path, body });
const ofFile = (path: string, file: Buffer, fields: object = {}): GrowingRequest =>
  posted(path, { document: { base64: file.toString('base64') }, ...fields });

/** A document with a chain of bookmarks, which lead to its page in turn. */
function withBookmarks(size: number): Buffer {
  const first = firstFree(1);
  const item = (i: number): string =>
    `<</Title(B${i})/Parent ${first} 0 R/Dest[${pageNumber(0)} 0 R/Fit]${i + 1 < size ? `/Next ${first + i + 2} 0 R` : ''}>>`;
  return plainPdf([{}], {
    entries: `/Outlines ${first} 0 R`,
    objects: [
      `<</Type/Outlines/First ${first + 1} 0 R/Last ${first + size} 0 R/Count ${size}>>`,
      ...Array.from({ length: size }, (_, i) => item(i)),
    ],
  });
}

/** A form with fields on one page. */
function withFields(size: number, nameOf = (index: number): string => `f${index}`): Buffer {
  const first = firstFree(1);
  const refs = Array.from({ length: size }, (_, i) => `${first + i} 0 R`).join(' ');
  return plainPdf([{ entries: `/Annots[${refs}]` }], {
    entries: `/AcroForm<</Fields[${refs}]/DA(/F 9 Tf)/DR<</Font<</F 3 0 R>>>>>>`,
    objects: Array.from(
      { length: size },
      (_, i) => `<</Type/Annot/Subtype/Widget/FT/Tx/T(${nameOf(i)})/V(v)/F 4/DA(/F 9 Tf)/Rect[0 0 9 9]>>`,
    ),
  });
}

/** A document whose XMP has so many properties. */
function withXmp(size: number): Buffer {
  const spaces = 'xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:dc="http://purl.org/dc/elements/1.1/"';
  const properties = '<dc:title>t</dc:title>'.repeat(size);
  const packet = `<rdf:RDF ${spaces}><rdf:Description rdf:about="">${properties}</rdf:Description></rdf:RDF>`;
  const object = `<</Type/Metadata/Subtype/XML/Length ${packet.length}>>\nstream\n${packet}\nendstream`;
  return plainPdf([{}], { entries: `/Metadata ${firstFree(1)} 0 R`, objects: [object] });
}

/** Objects that refer to each other in a chain from the page. */
function withChain(size: number): Buffer {
  const first = firstFree(1);
  return plainPdf([{ entries: `/PieceInfo ${first} 0 R` }], {
    hasFont: false,
    objects: Array.from({ length: size }, (_, i) => (i + 1 < size ? `<</Next ${first + i + 1} 0 R>>` : '<<>>')),
  });
}

const joined = (file: Buffer, fields: object = {}): GrowingRequest => {
  const part = { base64: file.toString('base64') };
  return posted('/documents', { parts: [part, part], ...fields });
};

/** Documents from documents. */
export const ASSEMBLED: readonly GrowthCase[] = [
  {
    name: 'documents: parts',
    sizes: [7, 25, 100],
    request: (size) => {
      const base64 = plainPdf(pagesOf(20)).toString('base64');
      return posted('/documents', { parts: Array.from({ length: size }, () => ({ base64 })), outline: 'titles' });
    },
  },
  { name: 'documents: pages', sizes: [500, 2_000, 8_000], request: (size) => joined(plainPdf(pagesOf(size))) },
  {
    name: 'documents: page numbers',
    sizes: [125, 500, 2_000],
    request: (size) =>
      joined(plainPdf(pagesOf(size)), { page_numbers: { template: '<i class=pageNumber></i>' }, pdf_watermark: 'D' }),
  },
  { name: 'documents: bookmarks', sizes: [2_500, 10_000, 30_000], request: (size) => joined(withBookmarks(size)) },
  { name: 'documents: form fields', sizes: [1_250, 5_000, 20_000], request: (size) => joined(withFields(size)) },
  {
    name: 'documents: form fields of one name',
    sizes: [1_250, 5_000, 20_000],
    request: (size) => joined(withFields(size, () => 'f')),
  },
  { name: 'documents: chain of objects', sizes: [5_000, 20_000, 60_000], request: (size) => joined(withChain(size)) },
  {
    name: 'documents: pages to split',
    sizes: [60, 250, 1_000],
    request: (size) => ofFile('/documents/split', plainPdf(pagesOf(size)), { mode: 'intervals', span: 1 }),
  },
  {
    name: 'documents: shared resources of split pages',
    sizes: [60, 250, 1_000],
    request: (size) => {
      const first = firstFree(size);
      const drawings = Array.from({ length: size }, (_, i) => `/X${i} ${first + 1 + i} 0 R`).join(' ');
      const pages = Array.from({ length: size }, (_, i) => ({
        commands: `/X${i} Do`,
        entries: `/Resources ${first} 0 R`,
      }));
      const objects = [
        `<</XObject<<${drawings}>>>>`,
        ...pages.map(() => '<</Type/XObject/Subtype/Form/BBox[0 0 9 9]/Length 10>>\nstream\n0 0 9 9 re\nendstream'),
      ];
      return ofFile('/documents/split', plainPdf(pages, { objects }), { mode: 'intervals', span: 1 });
    },
  },
  {
    name: 'documents: bookmarks of split pages',
    sizes: [60, 250, 1_000],
    request: (size) => {
      const first = firstFree(size);
      const item = (i: number): string =>
        `<</Title(B${i})/Parent ${first} 0 R/Dest[${pageNumber(i)} 0 R/Fit]${i + 1 < size ? `/Next ${first + i + 2} 0 R` : ''}>>`;
      const objects = [
        `<</Type/Outlines/First ${first + 1} 0 R/Last ${first + size} 0 R/Count ${size}>>`,
        ...Array.from({ length: size }, (_, i) => item(i)),
      ];
      const file = plainPdf(pagesOf(size), { entries: `/Outlines ${first} 0 R`, objects });
      return ofFile('/documents/split', file, { mode: 'intervals', span: 1 });
    },
  },
  {
    name: 'documents: fields to flatten',
    sizes: [1_250, 5_000, 20_000],
    request: (size) => ofFile('/documents/flatten', withFields(size)),
  },
  {
    name: 'documents: XMP',
    sizes: [5_000, 20_000, 80_000],
    request: (size) => ofFile('/documents/metadata', withXmp(size), { metadata: { Title: 't', Author: 'a' } }),
  },
  {
    name: 'documents: objects of an archive',
    sizes: [5_000, 20_000, 60_000],
    request: (size) => joined(withChain(size), { pdf_standard: ['PDF/A-2b'] }),
  },
];
