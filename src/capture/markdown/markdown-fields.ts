import { booleanField, fieldsOf } from '../../steps/common/fields.ts';

export const markdownFields = fieldsOf('area', {
  main_content: booleanField({
    description: 'Markdown of the main content, as a reader view shows it; false: of all that the page shows',
    example: false,
  }).default(true),
});
