import { z } from 'zod';
import { integerField } from '../../steps/common/fields.ts';

/** Thirty days. */
export const LONGEST_TTL_SECONDS = 2_592_000;

export const cacheFields = z.object({
  cache_ttl: integerField(
    { min: 0, max: LONGEST_TTL_SECONDS },
    {
      description:
        'Maximum age of a cached answer to the same request, in seconds. 0: always capture. Unset: `CACHE_TTL`',
      example: 3600,
    },
  ).optional(),
});
