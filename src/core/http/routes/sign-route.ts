import type { Request, RequestHandler } from 'express';
import { z } from 'zod';
import type { ParseRules } from './parse-request.ts';
import type { Core } from './route.ts';
import { contextOf } from '../request/request-context.ts';
import { ownAddress } from '../request/own-address.ts';
import { type JsonSchema, jsonAnswer, type Operation, reference } from './operation.ts';
import { createSignedLink, signingSecretOf, signRequest } from './signed-link.ts';

/** Handles `POST /sign`. The link uses the host name of the request, which the signature does not cover. */
export function createSignHandler({
  keys,
  now,
  checkAddresses,
  ...rules
}: ParseRules & Pick<Core, 'keys' | 'now' | 'checkAddresses'>): RequestHandler {
  return async (request, response) => {
    const { key } = contextOf(response);
    const body: unknown = request.body;
    const link = await createSignedLink(body, {
      key,
      secret: signingSecretOf(key, keys),
      nowSeconds: now(),
      ...rules,
    });
    await checkAddresses(link.options, key);
    response.json({ signed_url: linkAddress(request, link.query), expires: link.expires });
  };
}

/**
 * Returns the URL of a link, with the host name of the request.
 * @throws ServiceError ValidationError for an invalid host name
 */
export function linkAddress(request: Request, query: string): string {
  return `${ownAddress(request)}/capture?${query}`;
}

export const SIGN_OPERATION: Operation = {
  operationId: 'sign',
  tag: 'Capture',
  summary: 'Sign a link',
  description:
    'Returns a link that makes this capture until it expires, without a token. Fields that `GET /capture` would refuse are not signed.',
  body: {
    schema: 'SignRequest',
    examples: {
      document: {
        summary: 'A PDF, for ten minutes',
        value: { params: { url: 'https://example.com/', format: 'pdf' }, expires_in: 600 },
      },
    },
  },
  answers: { 200: jsonAnswer('The link', reference('SignResponse')) },
  errors: [
    'ValidationError',
    'AuthenticationError',
    'InvalidSignatureError',
    'DestinationNotAllowedError',
    'ResultTooLargeError',
    'ScopeError',
    'FieldNotAllowedError',
    'TemplateNotFoundError',
    'TemplateError',
    'CrossSiteRequestError',
    'MethodNotAllowedError',
    'PayloadTooLargeError',
    'UnsupportedMediaTypeError',
    'RateLimitError',
    'OverloadedError',
    'InternalServerError',
  ],
};

/** Schemas of `POST /sign`. Its `params` are capture fields. */
export function signSchemas(): Readonly<Record<string, JsonSchema>> {
  const { properties, required, type, additionalProperties } = z.toJSONSchema(signRequest, { io: 'input' });
  return {
    SignRequest: {
      type,
      properties: { ...properties, params: reference('CaptureRequest') },
      required,
      additionalProperties,
    },
    SignResponse: {
      type: 'object',
      properties: {
        signed_url: { type: 'string', format: 'uri', description: 'A link for `GET /capture`' },
        expires: { type: 'integer', description: 'The Unix second after which the link is refused' },
      },
      required: ['signed_url', 'expires'],
    },
  };
}
