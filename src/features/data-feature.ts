import { dataFields } from '../capture/parts/index.ts';
import { extractCheck } from '../capture/parts/extract/extract-part.ts';
import { rejectionFields } from '../capture/parts/page-rejection.ts';
import type { Feature } from './feature.ts';

/** Reads data of the page beside the file, and rejects pages by what they say. */
export const DATA = {
  fields: { source: rejectionFields, answer: dataFields },
  before: [extractCheck],
} satisfies Feature;
