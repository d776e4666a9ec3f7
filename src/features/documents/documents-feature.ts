import { pdf } from './pdf.ts';
import { documentFields } from './document-fields.ts';
import { checkAttachments } from './standards/attachments.ts';
import type { Feature } from '../../core/feature.ts';

/** Prints pages. */
export const DOCUMENTS = {
  fields: { formats: documentFields },
  check: checkAttachments,
  formats: { pdf },
} satisfies Feature;
