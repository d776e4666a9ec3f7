import { z } from 'zod';
import { fieldsOf } from '../../core/steps/common/fields.ts';

const NAME = /^[a-z0-9_-]{1,63}$/;
export const NAME_FORM = '1 to 63 characters of a-z 0-9 _ -';

/** Maximum size of `data` as JSON. */
export const MAX_DATA_BYTES = 100_000;
/**
 * Maximum depth of `data`. Links may have thousands of levels, which would overflow the stack. Bodies have the same
 * limit.
 */
const MAX_DATA_DEPTH = 32;

export function isTemplateName(name: string): boolean {
  return NAME.test(name);
}

const NAME_ERROR = `must be the name of a template, ${NAME_FORM}`;

/** Fields that `parts/templates/` replaces by the fields of the template, before a request is parsed. */
export const templateFields = fieldsOf('page', {
  template: z
    .string({ error: NAME_ERROR })
    .max(63, { error: NAME_ERROR })
    .regex(NAME, { error: NAME_ERROR })
    .meta({
      description:
        'Name of a template of `TEMPLATES_DIR`. It has its own page, or it is a preset of fields for a `url` or `html_content`',
      example: 'card',
      accepts: 'name of a template',
    })
    .optional(),
  data: z
    .record(z.string(), z.unknown(), { error: 'must be an object' })
    .refine((data) => isShallow(data), { error: `may be nested at most ${MAX_DATA_DEPTH} levels deep` })
    .meta({
      description: 'Values for the page of the template',
      example: { title: 'Hello' },
      accepts: `object, at most ${MAX_DATA_BYTES.toLocaleString('en-US')} bytes as JSON`,
    })
    .optional(),
});

function isShallow(value: unknown, levels = MAX_DATA_DEPTH): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((each) => isShallow(each, levels - 1));
}
