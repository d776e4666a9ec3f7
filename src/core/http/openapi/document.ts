import type { KeyRing } from '../../access/key-ring.ts';
import type { ParseLimits } from '../../capture/request/parse-options.ts';
import { FIELD_GROUPS } from '../../steps/common/fields.ts';
import { ERROR_SCHEMA, ERROR_TYPE_SCHEMA } from './answer-schemas.ts';
import { headerComponents } from './answers.ts';
import { createPaths, type DocumentOperation } from './paths.ts';
import type { JsonSchema } from '../routes/operation.ts';
import type { DescribedRoute, Ports } from '../routes/route.ts';

interface OpenApiSettings extends ParseLimits {
  readonly version: string;
  readonly keys: Pick<KeyRing, 'isRequired'>;
  readonly routes: readonly DescribedRoute[];
  readonly extensions?: Ports['extensions'];
}

/** The used parts of an OpenAPI 3.1 document. */
export interface OpenApiDocument {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentOperation>>>>;
  readonly components: Readonly<
    Record<'schemas' | 'headers' | 'securitySchemes', Readonly<Record<string, JsonSchema>>>
  >;
  readonly [key: string]: unknown;
}

/** Creates the OpenAPI 3.1 document from the schema, the catalogues and the settings of the service. */
export function createOpenApi({ version, keys, routes, extensions = {}, ...limits }: OpenApiSettings): OpenApiDocument {
  return {
    openapi: '3.1.1',
    info: {
      title: 'Capture service',
      version,
      summary: 'Turns web pages into pictures and documents',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '.', description: 'This service' }],
    tags: [
      { name: 'Capture', description: 'Pictures, PDFs and text of pages' },
      {
        name: 'Jobs',
        description: 'Captures that run in the background: submit, read, fetch, cancel',
      },
      { name: 'Watches', description: 'Captures on a schedule, and what has changed between them' },
      { name: 'Usage', description: 'Captures of a key, and its quota' },
      { name: 'Health', description: 'For probes, without authentication and rate limit' },
    ],
    paths: createPaths(routes, { limits, needsCredentials: keys.isRequired }),
    components: {
      schemas: {
        ...Object.fromEntries(routes.flatMap(({ schemas }) => Object.entries(schemas?.(limits) ?? {}))),
        Error: ERROR_SCHEMA,
        ErrorType: ERROR_TYPE_SCHEMA,
      },
      headers: headerComponents(),
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: 'The value of `AUTH_TOKEN`, or the token of a key',
        },
        signature: {
          type: 'apiKey',
          in: 'query',
          name: 'signature',
          description:
            'HMAC-SHA256 of all query parameters including `expires`, in URL-safe base64. `POST /sign` returns it',
        },
      },
    },
    'x-groups': Object.entries(FIELD_GROUPS).map(([name, group]) => ({ name, ...group })),
    ...extensions,
  };
}
