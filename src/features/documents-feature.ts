import { pdf } from '../capture/formats/pdf.ts';
import { documentFields } from '../capture/formats/pdf/document-fields.ts';
import { checkAttachments } from '../capture/formats/pdf/standards/attachments.ts';
import type { Feature } from './feature.ts';

/** Prints pages. */
export const DOCUMENTS = {
  fields: { formats: documentFields },
  check: checkAttachments,
  formats: { pdf },
} satisfies Feature;
