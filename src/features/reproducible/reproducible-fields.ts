import { booleanField, fieldsOf } from '../../core/steps/common/fields.ts';

export const reproducibleFields = fieldsOf('look', {
  reproducible: booleanField({
    description:
      'Same page, same bytes: the time of the page begins on 1 January 2025, 12:00 UTC, its random numbers are the same each time, and the file has no varying dates and ids. `X-Capture-Digest` changes with the page, the options and the service. Shared workers and service workers keep their own time. Not with passwords',
    example: true,
  }).default(false),
});
