import type { Fields } from '../convert-options.ts';

/** Adds what the form says about attachments. PDF/A may be given twice: by itself, and by an e-invoice. */
export function attachmentsOf(
  { pdf_attachments: attachments, pdf_standard: standards }: Fields,
  attachedAs: unknown,
): Fields {
  const known: Readonly<Record<string, object>> = Object(attachedAs);
  return {
    ...(Array.isArray(standards) && { pdf_standard: [...new Set(standards)] }),
    ...(Array.isArray(attachments) && {
      pdf_attachments: attachments.map((attachment: { readonly name: string }) => ({
        ...attachment,
        ...(Object.hasOwn(known, attachment.name) && known[attachment.name]),
      })),
    }),
  };
}
