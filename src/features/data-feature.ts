import { type DataOptions, dataFields, OPEN_PART_NAMES, PARTS } from '../capture/parts/index.ts';
import { createPartsReader } from '../capture/parts/read-parts.ts';
import { extractCheck } from '../capture/parts/extract/extract-part.ts';
import type { PartOptions } from '../capture/parts/answer-part.ts';
import type { SecretFields } from '../capture/parts/secrets.ts';
import { createPageRejection, type RejectionOptions, rejectionFields } from '../capture/parts/page-rejection.ts';
import type { Feature } from './feature.ts';

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
