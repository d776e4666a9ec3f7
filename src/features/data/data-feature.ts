import { type DataOptions, dataFields, OPEN_PART_NAMES, PARTS } from './index.ts';
import { createPartsReader } from './read-parts.ts';
import { extractCheck } from './extract/extract-part.ts';
import type { PartOptions } from './answer-part.ts';
import type { SecretFields } from './secrets.ts';
import { createPageRejection, type RejectionOptions, rejectionFields } from './page-rejection.ts';
import type { Feature } from '../../core/feature.ts';

/** Reads data of the page beside the file, and rejects pages by what they say. */
export const DATA = {
  fields: { source: rejectionFields, answer: dataFields },
  before: [extractCheck],
  parts: Object.fromEntries(OPEN_PART_NAMES.map((name) => [name, PARTS[name]])),
  accompany: (
    page,
    options: DataOptions & PartOptions & RejectionOptions & SecretFields,
    { gateSession, ...given },
  ) => {
    const rejection = createPageRejection(page, options, gateSession);
    const reader = createPartsReader(page, options, given);
    return {
      listen: async () => void (await Promise.all([reader.listen(), rejection?.listen()])),
      check: async () => await rejection?.check(),
      readBeside: reader.readBeside,
    };
  },
} satisfies Feature;
