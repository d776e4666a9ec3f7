import { z } from 'zod';
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

/** The field of a page that is written in Markdown. */
export const markdownSource = fieldsOf('page', {
  markdown_content: z
    .string({ error: 'must be Markdown as text' })
    .min(1, { error: 'must be Markdown as text' })
    .meta({
      description:
        'Markdown to capture instead of a URL: CommonMark with tables, task lists, footnotes and alerts, shown with a plain style. Front matter is left out, and HTML other than `<br>`, `<sub>` and `<sup>` is escaped',
      example: '# Hello',
      accepts: 'Markdown, within `MAX_BODY_BYTES`',
    })
    .optional(),
});
