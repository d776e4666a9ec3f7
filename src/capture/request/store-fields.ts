import { z } from 'zod';
import { isStoredPath, MAX_PATH_LENGTH, PATH_FORM } from '../../storage/stored-path.ts';
import { booleanField } from '../../steps/common/fields.ts';

const PATH_ERROR = `must be ${PATH_FORM}`;

export const storeFields = z.object({
  store: booleanField({
    description:
      'Whether the result is kept in the storage of the service as well; `X-Stored-Url` is a link to it, in a json answer `file.url` in the place of `file.base64`',
    example: true,
  }).default(false),
  store_path: z
    .string({ error: PATH_ERROR })
    .max(MAX_PATH_LENGTH, { error: PATH_ERROR })
    .refine(isStoredPath, { error: PATH_ERROR })
    .meta({
      description: 'Where it is kept; what was there is replaced. Unset: a new file in a folder of the day',
      example: 'reports/2026-11.pdf',
      accepts: PATH_FORM.charAt(0).toUpperCase() + PATH_FORM.slice(1),
    })
    .optional(),
});
