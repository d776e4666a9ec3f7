import { markdown } from '../capture/markdown/markdown.ts';
import { markdownFields } from '../capture/markdown/markdown-fields.ts';
import type { Feature } from './feature.ts';

/** Writes pages as Markdown. */
export const MARKDOWN = { fields: { formats: markdownFields }, formats: { markdown: markdown() } } satisfies Feature;
