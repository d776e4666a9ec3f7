import { z } from 'zod';

const MAX_URL_LENGTH = 8_192;
const ERROR = `must be an absolute http: or https: address of at most ${MAX_URL_LENGTH} characters`;

/** The address of a page that a browser may be sent to. Whether it may be reached is for the egress rules to say. */
export function webAddressField(documented: {
  readonly description: string;
  readonly example: string;
}): z.ZodString {
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
  // A lone surrogate or a control character would reach the browser as something else than what was checked.
  if (!text.isWellFormed() || /\p{Cc}/u.test(text)) return false;
  const { protocol, hostname } = URL.parse(text) ?? {};
  return (protocol === 'http:' || protocol === 'https:') && hostname !== '';
}
