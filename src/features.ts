import { ACTIONS } from './features/actions/actions-feature.ts';
import { BLOCKING } from './features/blocking/blocking-feature.ts';
import { CONSENT } from './features/consent/consent-feature.ts';
import { DATA } from './features/data/data-feature.ts';
import { DOCUMENTS } from './features/documents/documents-feature.ts';
import { MARKDOWN } from './features/markdown/markdown-feature.ts';
import { PAGED_MEDIA } from './features/paged-media/paged-media-feature.ts';
import { PDF_SOURCE } from './features/pdf-source/pdf-source-feature.ts';
import { REPRODUCIBLE } from './features/reproducible/reproducible-feature.ts';
import { SAVED_PAGES } from './features/saved-pages/saved-pages-feature.ts';
import { TEMPLATE } from './features/template/template-feature.ts';

/**
 * What a capture can do besides the core. Features with the same place follow each other in this order. Not in
 * `list.ts`, whose parts use captures: the types of a request come from here.
 */
export const FEATURES = [
  TEMPLATE,
  REPRODUCIBLE,
  DATA,
  BLOCKING,
  CONSENT,
  ACTIONS,
  DOCUMENTS,
  PAGED_MEDIA,
  MARKDOWN,
  SAVED_PAGES,
  PDF_SOURCE,
] as const;
