import { z } from 'zod';
import { fieldsOf } from '../../steps/common/fields.ts';
import { PART_NAMES } from './index.ts';

const NAMES_ERROR = `must be a list of ${PART_NAMES.join(', ')}`;

export const dataFields = fieldsOf('page', {
  include: z
    .array(z.enum(PART_NAMES, { error: `must be one of ${PART_NAMES.join(', ')}` }), { error: NAMES_ERROR })
    .max(PART_NAMES.length, { error: NAMES_ERROR })
    .meta({
      description: 'Additional parts of a JSON answer, of the same moment as the file. Needs `response_type=json`',
      example: ['metadata', 'markdown'],
      accepts: `list of ${PART_NAMES.map((name) => `\`${name}\``).join(', ')}`,
    })
    .optional(),
});

export type DataOptions = z.output<typeof dataFields>;
