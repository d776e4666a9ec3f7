import { createHash } from 'node:crypto';
import type { CaptureOptions } from '../capture/request/options.ts';

/**
 * Returns the cache key of a capture: a hash over all options, including those without a visible effect, and over the
 * scope, which has the settings that affect captures. The key does not contain the client. Token, signature and the
 * fields allowed in signed links are checked before the cache is used, so every client that reaches the cache could
 * have made the capture. Options may hold passwords and cookies. The hash hides them, so a key may be logged.
 */
export function cacheKey(options: CaptureOptions, scope: string): string {
  const fields = Object.entries(options)
    .filter(([, value]) => value !== undefined)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256')
    .update(JSON.stringify([scope, fields]))
    .digest('base64url');
}
