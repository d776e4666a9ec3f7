import { z } from 'zod';
import { integerField } from '../../steps/common/fields.ts';

/** Thirty days. */
export const LONGEST_TTL_SECONDS = 2_592_000;

export const cacheFields = z.object({
  cache_ttl: integerField(
    { min: 0, max: LONGEST_TTL_SECONDS },
    {
      description:
        'How old the answer may be, in seconds: the same request is answered from the cache for so long. 0: it is captured anew. Unset: `CACHE_TTL`',
      example: 3600,
    },
  ).optional(),
});
