import { z } from 'zod';
import { choiceField, textField } from '../../../core/steps/common/fields.ts';

export const STANDARDS = ['PDF/A-2b', 'PDF/A-3b', 'PDF/UA-1'] as const;
const RELATIONSHIPS = ['data', 'source', 'alternative', 'supplement', 'unspecified'] as const;
const MAX_ATTACHMENTS = 20;
const MAX_NAME_LENGTH = 200;
const NAME_ERROR = `must be a file name of 1 to ${MAX_NAME_LENGTH} characters, without / \\ and control characters`;
const STANDARDS_ERROR = `must be a list of ${STANDARDS.join(', ')}, with at most one for archives`;
const CONTENT_ERROR = 'needs either base64 or file';
const BASE64_ERROR = 'must be base64 without line breaks';
const MEDIA_TYPE_ERROR = 'must be a media type such as text/xml';

const attachment = z
  .strictObject({
    name: z
      .string({ error: NAME_ERROR })
      .min(1, { error: NAME_ERROR })
      .max(MAX_NAME_LENGTH, { error: NAME_ERROR })
      .refine((name) => name.isWellFormed() && !/[/\\\p{Cc}]/u.test(name), { error: NAME_ERROR }),
    base64: z
      .string({ error: BASE64_ERROR })
      .refine((text) => /^[\w+/-]*={0,2}$/.test(text) && text.length % 4 !== 1, { error: BASE64_ERROR })
      .meta({ contentEncoding: 'base64' })
      .optional(),
    file: z.string({ error: 'must be a name in files' }).optional(),
    media_type: z
      .string({ error: MEDIA_TYPE_ERROR })
      .max(100, { error: MEDIA_TYPE_ERROR })
      .regex(/^[\w.+-]+\/[\w.+-]+$/, { error: MEDIA_TYPE_ERROR })
      .optional(),
    description: textField(1_000, { description: 'What the file is', example: 'Invoice data' }).optional(),
    relationship: choiceField(RELATIONSHIPS, {
      description: 'What the file is to the document',
      example: 'alternative',
    }).default('unspecified'),
  })
  .refine(({ base64, file }) => (base64 === undefined) !== (file === undefined), { error: CONTENT_ERROR });

/** True for a list with no standard twice, and at most one of PDF/A: they exclude each other. */
function isPossible(standards: readonly string[]): boolean {
  const archives = standards.filter((name) => name.startsWith('PDF/A'));
  return new Set(standards).size === standards.length && archives.length <= 1;
}

/** A parsed attachment. */
export type Attachment = z.output<typeof attachment>;

/** Fields for documents that archives and invoices need. */
export const standardFields = {
  pdf_standard: z
    .array(z.enum(STANDARDS, { error: STANDARDS_ERROR }), { error: STANDARDS_ERROR })
    .min(1, { error: STANDARDS_ERROR })
    .refine(isPossible, { error: STANDARDS_ERROR })
    .meta({
      description:
        'Standards that the document meets: `PDF/A-2b` or `PDF/A-3b` for archives, `PDF/UA-1` for screen readers. `PDF/A-3b` may have attachments. A page that cannot meet them is an error',
      example: ['PDF/A-3b'],
      accepts: `list of ${STANDARDS.map((name) => `\`${name}\``).join(', ')}, with at most one for archives`,
    })
    .optional(),
  pdf_attachments: z
    .array(attachment, { error: 'must be a list of attachments' })
    .min(1, { error: 'must have at least one attachment' })
    .max(MAX_ATTACHMENTS, { error: `may have at most ${MAX_ATTACHMENTS} attachments` })
    .refine((list) => new Set(list.map(({ name }) => name)).size === list.length, {
      error: 'must have different names',
    })
    .meta({
      description:
        'Files inside of the document. `file` names a part of `files`. With `pdf_standard: ["PDF/A-3b"]`, an attachment `factur-x.xml` or `xrechnung.xml` makes an e-invoice',
      example: [{ name: 'prices.csv', base64: 'dGVhLDMuNTAK', relationship: 'data' }],
      accepts: `list of at most ${MAX_ATTACHMENTS} objects with \`name\`, \`base64\` or \`file\`, and \`media_type\`, \`description\`, \`relationship\` (${RELATIONSHIPS.map((name) => `\`${name}\``).join(', ')})`,
    })
    .optional(),
};
