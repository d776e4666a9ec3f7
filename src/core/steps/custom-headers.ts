import { z } from 'zod';
import { onlyTo } from '../browser/page/requests/interception.ts';
import { fieldsOf } from './common/fields.ts';
import type { Step } from './common/step.ts';

const MAX_HEADERS = 50;
const MAX_VALUE_LENGTH = 8_192;
const NAME = /^[!#$%&'*+.^_`|~0-9a-z-]{1,256}$/i; // a token of RFC 9110 section 5.6.2
const VALUE = /^(?:[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?)?$/;

/**
 * Headers that belong to the browser's connection, and headers that servers trust. Chrome fails requests with some of
 * them. Cookies have their own field.
 */
const FORBIDDEN =
  /^(?:host|content-length|connection|keep-alive|transfer-encoding|te|trailer|upgrade|expect|(?:set-)?cookie2?|proxy-.*|sec-.*)$/i;

/** Chrome never sends a request with these headers, and never answers the call (Chromium 153). */
const METHOD_NAME = /^x-(?:http-method(?:-override)?|method-override)$/i;
const FORBIDDEN_METHOD = /(?:^|,)\s*(?:connect|trace|track)\s*(?:,|$)/i;

const OBJECT_ERROR = `must be an object of at most ${MAX_HEADERS} header names, each with its value as text`;
const VALUE_ERROR = `must be at most ${MAX_VALUE_LENGTH} visible ASCII characters, with spaces only between them`;

const schema = fieldsOf('visitor', {
  custom_headers: z
    .record(z.string(), z.string({ error: VALUE_ERROR }).max(MAX_VALUE_LENGTH, { error: VALUE_ERROR }), {
      error: OBJECT_ERROR,
    })
    .check(({ value: headers, issues }) => {
      if (Object.keys(headers).length > MAX_HEADERS)
        issues.push({ code: 'custom', message: OBJECT_ERROR, input: headers });
      for (const [name, value] of Object.entries(headers)) {
        const message = complaintOf(name, value);
        if (message !== undefined) issues.push({ code: 'custom', path: [name], message, input: value });
      }
    })
    .meta({
      description: 'Request headers, sent only to the origin of `url`, also after a redirect',
      example: { 'X-Preview': 'true' },
      accepts: `object of at most ${MAX_HEADERS} headers`,
    })
    .optional(),
});

/**
 * Adds the headers of the request to requests for the origin of `url`, because they often contain a secret of that
 * origin.
 */
export const customHeaders: Step<typeof schema> = {
  name: 'custom-headers',
  schema,
  apply: async (page, { custom_headers: headers }, { url }) => {
    if (headers === undefined || url === undefined) return;
    const own = onlyTo(url);
    await page.intercept({
      patterns: own.patterns,
      onRequest: ({ request }) => (own.includes(request.url) ? { block: false, headers } : undefined),
    });
  },
};

function complaintOf(name: string, value: string): string | undefined {
  if (!NAME.test(name)) return 'is not the name of a header';
  if (/^cookie2?$/i.test(name)) return "can't be set here: use the field cookies";
  if (FORBIDDEN.test(name)) return "can't be set: only the browser sets it";
  if (METHOD_NAME.test(name) && FORBIDDEN_METHOD.test(value)) return 'must not be CONNECT, TRACE or TRACK';
  return VALUE.test(value) ? undefined : VALUE_ERROR;
}
