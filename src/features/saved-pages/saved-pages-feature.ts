import { mhtml } from './mhtml.ts';
import { singleHtml } from './single-html.ts';
import type { Feature } from '../../core/feature.ts';

/** Saves pages with everything that they show, in one file. */
export const SAVED_PAGES = { formats: { mhtml, single_html: singleHtml } } satisfies Feature;
