import { mhtml } from '../capture/formats/mhtml.ts';
import { singleHtml } from '../capture/formats/single-html/single-html.ts';
import type { Feature } from './feature.ts';

/** Saves pages with everything that they show, in one file. */
export const SAVED_PAGES = { formats: { mhtml, single_html: singleHtml } } satisfies Feature;
