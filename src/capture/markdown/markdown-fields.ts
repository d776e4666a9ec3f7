import { booleanField, fieldsOf } from '../../steps/common/fields.ts';

export const markdownFields = fieldsOf('area', {
  main_content: booleanField({
    description:
      'Markdown of the main content only, as in a reader view. false: markdown of the whole visible page',
    example: false,
  }).default(true),
});
