import { z } from 'zod';
import { choiceField } from '../../steps/common/fields.ts';

const NAME_ERROR = 'must be a file name of 1 to 200 characters, without / and \\';

/** Fields of the header `Content-Disposition`. They don't change the capture. */
export const deliveryFields = z.object({
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
    description:
      '`inline`: browsers show the result instead of saving it. Only for pictures, `pdf` and `markdown`',
    example: 'inline',
  }).default('attachment'),
});

interface DeliveryOptions extends z.output<typeof deliveryFields> {
  readonly store: boolean;
  readonly store_path?: string | undefined;
}

/** Unsets the fields of storage and file name. They don't change the capture, so the cache must ignore them. */
export function withoutDelivery<T extends DeliveryOptions>(options: T): T {
  const { store, file_name: name, disposition } = options;
  if (!store && name === undefined && disposition === 'attachment') return options;
  return { ...options, store: false, store_path: undefined, file_name: undefined, disposition: 'attachment' };
}
