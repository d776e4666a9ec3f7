import { z } from 'zod';

const MAX_URL_LENGTH = 8_192;
const ERROR = `must be an absolute http: or https: address of at most ${MAX_URL_LENGTH} characters`;

/** URL of a page. The egress rules decide later whether it may be reached. */
export function webAddressField(documented: { readonly description: string; readonly example: string }): z.ZodString {
  return z
    .string({ error: ERROR })
    .max(MAX_URL_LENGTH, { error: ERROR })
    .refine(isWebAddress, { error: ERROR })
    .meta({
      ...documented,
      format: 'uri',
      accepts: `absolute \`http:\` or \`https:\` address of at most ${MAX_URL_LENGTH} characters`,
    });
}

function isWebAddress(text: string): boolean {
  // Rejects lone surrogates and control characters, because the browser would get another form than the checked one.
  if (!text.isWellFormed() || /\p{Cc}/u.test(text)) return false;
  const { protocol, hostname } = URL.parse(text) ?? {};
  return (protocol === 'http:' || protocol === 'https:') && hostname !== '';
}
