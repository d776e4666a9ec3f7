import type { Feature } from '../../core/feature.ts';
import { pagedMedia } from './lay-out-pages.ts';
import { pagedMediaFields } from './paged-media-fields.ts';

/** Books: CSS for paged media that browsers lack. */
export const PAGED_MEDIA = {
  fields: { formats: pagedMediaFields },
  after: { delayed: [pagedMedia] },
  once: [pagedMedia],
} satisfies Feature;
