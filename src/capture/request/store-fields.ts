import { z } from 'zod';
import { isStoredPath, MAX_PATH_LENGTH, PATH_FORM } from '../../storage/stored-path.ts';
import { booleanField } from '../../steps/common/fields.ts';

const PATH_ERROR = `must be ${PATH_FORM}`;

export const storeFields = z.object({
  store: booleanField({
    description:
      'Store the result as well. `X-Stored-Url` is a link to it; a JSON answer has `file.url` instead of `file.base64`',
    example: true,
  }).default(false),
  store_path: z
    .string({ error: PATH_ERROR })
    .max(MAX_PATH_LENGTH, { error: PATH_ERROR })
    .refine(isStoredPath, { error: PATH_ERROR })
    .meta({
      description:
        'Path of the stored result. An existing result is replaced. Unset: a new file in `~days/<year>/<month>/<day>`',
      example: 'reports/2026-11.pdf',
      accepts: PATH_FORM.charAt(0).toUpperCase() + PATH_FORM.slice(1),
    })
    .optional(),
});
