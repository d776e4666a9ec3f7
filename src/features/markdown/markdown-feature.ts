import { markdown } from './markdown.ts';
import { markdownFields, markdownSource } from './markdown-fields.ts';
import { markdownPage } from './markdown-page.ts';
import type { Feature } from '../../core/feature.ts';

/** Writes pages as Markdown, and shows Markdown as a page. */
export const MARKDOWN = {
  fields: { source: markdownSource, formats: markdownFields },
  formats: { markdown: markdown() },
  markup: (page, { markdown_content: text }: { readonly markdown_content?: string | undefined }) =>
    text === undefined ? undefined : markdownPage(page, text),
} satisfies Feature;
