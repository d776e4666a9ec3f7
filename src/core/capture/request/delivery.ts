import { create } from 'content-disposition';
import { z } from 'zod';
import { isStoredPath, MAX_PATH_LENGTH, PATH_FORM } from './result-path.ts';
import { booleanField, choiceField, fieldsOf } from '../../steps/common/fields.ts';

const PATH_ERROR = `must be ${PATH_FORM}`;
const NAME_ERROR = 'must be a file name of 1 to 200 characters, without / and \\';

/**
 * Fields that decide how a result is delivered. They don't change the capture, so requests that differ in them alone
 * share one.
 */
export const deliveryFields = z.object({
  ...fieldsOf('page', {
    response_type: choiceField(['file', 'json'], {
      description:
        'Type of the answer: the file, or JSON with the file in base64, the parts of `include` and the metadata of the headers',
      example: 'json',
    }).default('file'),
  }).shape,
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
  file_name: z
    .string({ error: NAME_ERROR })
    .max(200, { error: NAME_ERROR })
    // eslint-disable-next-line no-control-regex
    .regex(/^(?!\.{1,2}$)[^/\\\u0000-\u001f\u007f]+$/u, { error: NAME_ERROR, abort: true })
    .refine((name) => name.isWellFormed() && name.trim() !== '', { error: NAME_ERROR })
    .meta({
      description:
        'File name in `Content-Disposition`. It is used as it is. Unset: `screenshot` with the extension of the format',
      example: 'Rechnung 2026-11.pdf',
      accepts: 'file name of 1 to 200 characters, without a path',
    })
    .optional(),
  disposition: choiceField(['attachment', 'inline'], {
    description: '`inline`: browsers show the result instead of saving it. Only for pictures, `pdf` and `markdown`',
    example: 'inline',
  }).default('attachment'),
});

export type Delivery = z.output<typeof deliveryFields>;

/** Returns the headers that the fields set. A job keeps the fields until its result is fetched. */
export function deliveryHeaders(
  { file_name: name, disposition }: Delivery,
  { extension }: { readonly extension: string },
): Record<string, string> {
  return {
    'Content-Disposition': create(name ?? `screenshot.${extension}`, { type: disposition }),
  };
}
