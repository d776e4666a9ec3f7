import { decodePDFRawStream, PDFRawStream } from '@cantoo/pdf-lib';
import { name, resolved } from './objects.ts';
import type { SourceDocument } from './source-document.ts';

/** Standards that documents say they meet. */
export interface Claims {
  /** Part of PDF/A: 2 or 3, with the level b or one that contains it. */
  readonly archivePart: 2 | 3 | undefined;
  readonly isAccessible: boolean;
}

export function claimsOf(source: SourceDocument): Claims {
  const text = metadataOf(source);
  const part = Number(valueOf(text, 'pdfaid:part'));
  return {
    archivePart: part === 2 || part === 3 ? part : undefined,
    isAccessible: valueOf(text, 'pdfuaid:part') === '1',
  };
}

/** Returns the XMP of a document. Empty if it has none. */
export function metadataOf({ context, catalog }: Pick<SourceDocument, 'context' | 'catalog'>): string {
  const stream = resolved(context, catalog.get(name('Metadata')));
  if (!(stream instanceof PDFRawStream)) return '';
  try {
    const bytes = Buffer.from(decodePDFRawStream(stream).decode());
    // Packets begin with `<`, or a mark of the order of bytes; every second byte of UTF-16 is zero then.
    if (bytes[0] === 0xfe || bytes[0] === 0)
      return Buffer.from(bytes.subarray(0, bytes.length & ~1))
        .swap16()
        .toString('utf16le');
    return bytes.toString(bytes[0] === 0xff || bytes[1] === 0 ? 'utf16le' : 'utf8');
  } catch {
    return ''; // a damaged stream claims nothing
  }
}

/** Properties are attributes or elements. */
function valueOf(text: string, property: string): string | undefined {
  const at = text.indexOf(property);
  if (at === -1) return undefined;
  return /^\s*(?:=\s*["']|>)\s*(\w+)/.exec(text.slice(at + property.length, at + property.length + 40))?.[1];
}
