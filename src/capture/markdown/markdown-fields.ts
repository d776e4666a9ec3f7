import { booleanField, fieldsOf } from '../../steps/common/fields.ts';

export const markdownFields = fieldsOf('area', {
  main_content: booleanField({
    description: 'Markdown of the main content only, as in a reader view. false: markdown of the whole visible page',
    example: false,
  }).default(true),
  visible_text: booleanField({
    description:
      'Markdown of the text that a person can see only: without text that is transparent, tiny, covered, clipped, outside of the page or in the colour of its background, and without alternative texts. `include: ["hidden_text"]` shows what was left out',
    example: true,
  }).default(false),
});
