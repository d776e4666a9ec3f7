import { z } from 'zod';
import { textField } from '../../../core/steps/common/fields.ts';

export const PERMISSIONS = ['print', 'copy', 'modify', 'annotate'] as const;
const MAX_PASSWORD_LENGTH = 127;
const PERMISSIONS_ERROR = `must be a list of ${PERMISSIONS.join(', ')}`;

/** Readers take the first 127 bytes of a password, or refuse a longer one. */
function password(description: string, example: string) {
  const error = `must have at most ${MAX_PASSWORD_LENGTH} bytes in UTF-8`;
  const isShort = (text: string): boolean =>
    text.length > MAX_PASSWORD_LENGTH || Buffer.byteLength(text) <= MAX_PASSWORD_LENGTH;
  return textField(MAX_PASSWORD_LENGTH, { description, example }).refine(isShort, { error }).optional();
}

/** Fields that lock a document. */
export const encryptionFields = {
  pdf_password: password('Password that opens the document (AES-256). Not accepted in signed links', 'open sesame'),
  pdf_owner_password: password(
    'Password that gives all rights to the document. Without `pdf_password`, everyone can open it. Not accepted in signed links',
    'let me change it',
  ),
  pdf_permissions: z
    .array(z.enum(PERMISSIONS, { error: PERMISSIONS_ERROR }), { error: PERMISSIONS_ERROR })
    .max(PERMISSIONS.length, { error: PERMISSIONS_ERROR })
    .meta({
      description:
        'What readers may do who do not know `pdf_owner_password`; unset: everything. Programs decide whether to obey',
      example: ['print'],
      accepts: `list of ${PERMISSIONS.map((name) => `\`${name}\``).join(', ')}`,
    })
    .optional(),
};
