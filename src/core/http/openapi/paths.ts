import type { ParseLimits } from '../../capture/request/parse-options.ts';
import { type JsonSchema, type Operation as DescribedOperation, reference } from '../routes/operation.ts';
import type { DescribedRoute } from '../routes/route.ts';
import { errorResponses, headersOf, type Responses } from './answers.ts';

/** An operation in the document. */
export interface DocumentOperation {
  readonly operationId: string;
  readonly responses: Responses;
  readonly [key: string]: unknown;
}

interface PathSettings {
  readonly limits: ParseLimits;
  /** False: requests without credentials are accepted as well. */
  readonly needsCredentials: boolean;
}

/** Returns all paths of the API with their operations. */
export function createPaths(
  routes: readonly DescribedRoute[],
  settings: PathSettings,
): Readonly<Record<string, Readonly<Record<string, DocumentOperation>>>> {
  return Object.fromEntries(
    routes.flatMap((route) => {
      if (route.operations === undefined) return [];
      const operations = Object.entries(route.operations).map(([method, operation]) => {
        return [method, describeOperation(route, operation, settings)] as const;
      });
      return [[route.path.replaceAll(/:(\w+)/g, '{$1}'), Object.fromEntries(operations)]];
    }),
  );
}

function describeOperation(
  route: DescribedRoute,
  { operationId, tag, summary, description, parameters, body, answers, errors }: DescribedOperation,
  { limits, needsCredentials }: PathSettings,
): DocumentOperation {
  const responses = Object.entries(answers).map(([status, { description, content }]) => {
    return [status, { description, headers: headersOf({ status: Number(status), route }), content }] as const;
  });
  return {
    operationId,
    tags: [tag],
    summary,
    ...(description !== undefined && { description }),
    security: securityOf(route, needsCredentials),
    ...(parameters !== undefined && { parameters: parameters(limits) }),
    ...(body !== undefined && { requestBody: bodyOf(route, body) }),
    responses: { ...Object.fromEntries(responses), ...errorResponses(route, errors) },
  };
}

/** Empty: no credentials are needed. */
function securityOf({ callers }: DescribedRoute, needsCredentials: boolean): readonly JsonSchema[] {
  if (callers === 'anyone') return [];
  const link = callers === 'bearer or link' ? [{ signature: [] }] : [];
  return [{ bearer: [] }, ...link, ...(needsCredentials ? [] : [{}])];
}

function bodyOf(route: DescribedRoute, { schema, examples }: NonNullable<DescribedOperation['body']>): JsonSchema {
  const json = { schema: reference(schema), examples };
  if (route.body?.placeFiles === undefined) return { required: true, content: { 'application/json': json } };
  const parts = {
    type: 'object',
    description: 'Each other part is a file, named by its file name, or by the name of the part.',
    properties: { request: reference(schema) },
    required: ['request'],
    additionalProperties: { type: 'string', contentMediaType: 'application/octet-stream' },
  };
  const encoding = { request: { contentType: 'application/json' } };
  return {
    required: true,
    content: { 'application/json': json, 'multipart/form-data': { schema: parts, encoding } },
  };
}
