import type { z } from 'zod';
import { booleanField, choiceField, fieldsOf } from '../../core/steps/common/fields.ts';

export const markdownFields = fieldsOf('area', {
  main_content: booleanField({
    description: 'Markdown of the main content only, as in a reader view. false: markdown of the whole visible page',
    example: false,
  }).default(true),
  markdown_images: choiceField(['keep', 'alt', 'none'], {
    description: 'Pictures in markdown: as links, their alternative text alone, or left out',
    example: 'none',
  }).default('keep'),
  visible_text: booleanField({
    description:
      'Markdown of the text that a person can see only: without text that is transparent, tiny, covered, clipped, outside of the page or in the colour of its background, and without alternative texts. `include: ["hidden_text"]` shows what was left out',
    example: true,
  }).default(false),
});

export type MarkdownOptions = z.output<typeof markdownFields>;
