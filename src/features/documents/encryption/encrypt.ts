import { PDFDict, PDFDocument, PDFHexString, PDFString } from '@cantoo/pdf-lib';
import type { PERMISSIONS } from './encryption-fields.ts';

/** How a document is locked. */
export interface Lock {
  readonly userPassword: string | undefined;
  readonly ownerPassword: string | undefined;
  /** What readers may do. Undefined: everything. */
  readonly permissions: readonly (typeof PERMISSIONS)[number][] | undefined;
}

/** Returns the document, encrypted with AES-256 (revision 6). Loads all of its objects. */
export async function encrypt(
  body: Uint8Array,
  { userPassword, ownerPassword, permissions }: Lock,
): Promise<Uint8Array> {
  const document = await PDFDocument.load(body, { updateMetadata: false });
  const may = (name: (typeof PERMISSIONS)[number]): boolean => permissions?.includes(name) ?? true;
  document.encrypt({
    algorithm: 'AES-256',
    ...(userPassword !== undefined && { userPassword }),
    ownerPassword: ownerPassword ?? userPassword ?? '',
    permissions: {
      printing: may('print') ? 'highResolution' : false,
      copying: may('copy'),
      modifying: may('modify'),
      documentAssembly: may('modify'),
      annotating: may('annotate'),
      fillingForms: may('annotate') || may('modify'),
      contentAccessibility: true, // readers for the blind
    },
  });
  // The package encrypts streams alone (2.11.1), so all texts must lie in streams of objects: also those of the
  // catalogue, which never lies in one itself.
  const { catalog, context } = document;
  for (const [name, value] of catalog.entries())
    if (value instanceof PDFDict || value instanceof PDFString || value instanceof PDFHexString)
      catalog.set(name, context.register(value));
  return await document.save({ useObjectStreams: true, addDefaultPage: false });
}
