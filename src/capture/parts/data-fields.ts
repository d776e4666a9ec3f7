import { z } from 'zod';
import { choiceField, fieldsOf } from '../../steps/common/fields.ts';
import { PART_NAMES } from './index.ts';

const NAMES_ERROR = `must be a list of ${PART_NAMES.join(', ')}`;

export const dataFields = fieldsOf('page', {
  response_type: choiceField(['file', 'json'], {
    description:
      'What the answer is: the file, or JSON with the file in it (base64), what `include` names, and what the headers tell',
    example: 'json',
  }).default('file'),
  include: z
    .array(z.enum(PART_NAMES, { error: `must be one of ${PART_NAMES.join(', ')}` }), { error: NAMES_ERROR })
    .max(PART_NAMES.length, { error: NAMES_ERROR })
    .meta({
      description:
        'What a json answer has beside the file, of the same rendering and the same moment. Needs `response_type=json`',
      example: ['metadata', 'markdown'],
      accepts: `list of ${PART_NAMES.map((name) => `\`${name}\``).join(', ')}`,
    })
    .optional(),
});

export type DataOptions = z.output<typeof dataFields>;
