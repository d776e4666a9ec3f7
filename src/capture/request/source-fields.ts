import { z } from 'zod';
import { choiceField, fieldsOf, textField } from '../../steps/common/fields.ts';
import { webAddressField } from '../../steps/common/web-address.ts';
import { FORMAT_NAMES } from '../formats/format-names.ts';

/** Fields for what is captured, and the way to it. */
export const sourceFields = fieldsOf('page', {
  url: webAddressField({ description: 'The page to capture', example: 'https://example.com/' }).optional(),
  html_content: z
    .string({ error: 'must be HTML as text' })
    .min(1, { error: 'must be HTML as text' })
    .meta({
      description: "HTML to capture instead of a URL. Relative links in it don't work",
      example: '<h1>Hello</h1>',
      accepts: 'HTML, within `MAX_BODY_BYTES`',
    })
    .optional(),
  proxy: textField(63, {
    description:
      'Name of the outgoing proxy of `PROXIES` that all connections of the page go through. Replaces `EGRESS_PROXY`, and `NO_PROXY` does not apply',
    example: 'office',
    accepts: 'name of a proxy',
  }).optional(),
  format: choiceField(FORMAT_NAMES, { description: 'Output format', example: 'pdf' }).default('png'),
});
