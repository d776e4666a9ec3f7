import { validationError } from '../../../core/ground/errors.ts';
import { each, near, type Option, type Options, refused, same } from '../convert-options.ts';
import { readBoolean, whenTrue } from '../option-values.ts';
import { readFactsOption } from './document-facts-options.ts';
import { FINISHING_OPTIONS } from './finishing-options.ts';
import { readAttachedAs, readInvoice, readLevel, readStandard, readWatermarkSource } from './gotenberg-options.ts';

const DENIED = ['print', 'copy', 'modify', 'annotate'] as const;

/** Options of `/forms/pdfengines/*`. */
export const ENGINE_OPTIONS: Options = {
  ...FINISHING_OPTIONS,
  metadata: same('metadata', (values, name) => ({ facts: readFactsOption(values, name) })),
  pdfa: near('pdf_standard', 'only PDF/A-2b and PDF/A-3b, of documents whose content allows it', readStandard),
  pdfua: near('pdf_standard', 'only documents that meet it already', whenTrue({ pdf_standard: ['PDF/UA-1'] })),
  userPassword: same('pdf_password'),
  ownerPassword: same('pdf_owner_password'),
  allowPrinting: same('pdf_permissions', denied('print')),
  allowCopying: same('pdf_permissions', denied('copy')),
  allowModifying: near('pdf_permissions', 'also assembling', denied('modify')),
  allowAssembling: near('pdf_permissions', 'also modifying', denied('modify')),
  allowAnnotating: near('pdf_permissions', 'also filling in forms', denied('annotate')),
  allowFillingForms: near('pdf_permissions', 'also annotating', denied('annotate')),
  embeds: same('pdf_attachments', (names) => ({ pdf_attachments: names.map((name) => ({ name, file: name })) })),
  embedsMetadata: near('pdf_attachments', 'only mimeType and relationship', readAttachedAs),
  facturxXml: near('pdf_attachments, pdf_standard', 'PDF/A-3b', readInvoice),
  facturxConformanceLevel: near('pdf_attachments', 'the profile is the one that the XML names', readLevel),
  titleBookmarks: same('outline', whenTrue({ outline: 'titles' })),
  autoIndexBookmarks: near('outline', 'bookmarks of the files are always kept', (values, name) => {
    readBoolean(values, name);
    return {};
  }),
  watermarkSource: near('pdf_watermark', 'only text', readWatermarkSource),
  watermarkExpression: same('pdf_watermark'),
  rotateAngle: same('rotate', (values, name) => {
    const angle = Number(values.at(-1));
    if ([90, 180, 270].includes(angle)) return { rotate: angle };
    throw validationError(`${name}: must be 90, 180 or 270`);
  }),
  ...each(
    refused(),
    'bookmarks rotatePages watermark watermarkOptions watermarkPages stamp stampSource stampExpression stampOptions ' +
      'stampPages facturxDocumentType facturxVersion optimizeImages imageQuality',
  ),
  downloadFrom: refused('send the files in the form'),
};

function denied(permission: (typeof DENIED)[number]): Option['convert'] {
  return (values, name) => (readBoolean(values, name) ? {} : { denied: [permission] });
}

/** Returns the permissions that are left. Undefined: all. */
export function permissionsOf(listed: unknown): readonly string[] | undefined {
  return Array.isArray(listed) ? DENIED.filter((permission) => !listed.includes(permission)) : undefined;
}
