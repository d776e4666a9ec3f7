import { createHash } from 'node:crypto';
import type { CaptureOptions } from '../capture/request/options.ts';

/**
 * The key of a capture: a hash over each of its options, those without a visible effect too, and over the scope, in which stand the
 * settings that decide what a capture may show. Equal keys mean the same request of services that would answer it alike.
 *
 * Who asked is no part of it. Credentials, signature and the fields that a signed link may hold are checked before the cache
 * is asked, with the token, by a link, or with authentication switched off; whoever gets as far as the key could have had the capture
 * made. So a capture made with the token serves the links to it, and a link that may not hold a field never reaches what it made.
 *
 * Options may hold passwords and cookies: they are in no key as they are, and a key may be logged.
 */
export function cacheKey(options: CaptureOptions, scope: string): string {
  const fields = Object.entries(options)
    .filter(([, value]) => value !== undefined)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256')
    .update(JSON.stringify([scope, fields]))
    .digest('base64url');
}
