import { z } from 'zod';
import { signRequest } from '../signed-link.ts';
import type { JsonSchema } from './request-schema.ts';

/** The body of `POST /sign`; its `params` are those of a capture. */
export function signRequestSchema(): JsonSchema {
  const { properties, required, type, additionalProperties } = z.toJSONSchema(signRequest, { io: 'input' });
  const params = { $ref: '#/components/schemas/CaptureRequest' };
  return { type, properties: { ...properties, params }, required, additionalProperties };
}

/** What `POST /sign` answers. */
export const SIGN_RESPONSE_SCHEMA: JsonSchema = {
  type: 'object',
  properties: {
    signed_url: { type: 'string', format: 'uri', description: 'A link for `GET /capture`' },
    expires: { type: 'integer', description: 'The Unix second after which the link is refused' },
  },
  required: ['signed_url', 'expires'],
};
