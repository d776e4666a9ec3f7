import { WARNINGS } from '../../steps/common/step.ts';
import { ERROR_CATALOGUE, type ErrorType } from '../../ground/errors.ts';
import { RESPONSE_HEADERS } from '../answers/response-headers.ts';
import { type JsonSchema, reference } from '../routes/operation.ts';
import type { DescribedRoute } from '../routes/route.ts';
import { constantsOf, errorExample } from './answer-schemas.ts';

/** The kinds of answers that have a header, named as in the column `on` of RESPONSE_HEADERS. */
interface Answer {
  readonly status: number;
  readonly route: DescribedRoute;
}

interface Response {
  readonly description: string;
  readonly headers: Readonly<Record<string, JsonSchema>>;
  readonly content: Readonly<Record<string, JsonSchema>>;
}

export type Responses = Readonly<Record<string, Response>>;

/** All response headers, described once. */
export function headerComponents(): Readonly<Record<string, JsonSchema>> {
  return Object.fromEntries(
    RESPONSE_HEADERS.filter(isDescribable).map(({ name, on, meaning, type = 'string' }) => {
      const schema = name === 'X-Capture-Warnings' ? { type: 'array', items: constantsOf(WARNINGS) } : { type };
      return [name, { description: `${meaning}. On: ${on}.`, schema }];
    }),
  );
}

/** Error responses by status. */
export function errorResponses(route: DescribedRoute, types: readonly ErrorType[]): Responses {
  const statuses = new Set([...types.flatMap(statusesOf), HEADERS_TOO_LARGE]);
  return Object.fromEntries(
    [...statuses]
      .toSorted((a, b) => a - b)
      .map((status) => {
        const ofStatus = types.filter((type) => statusesOf(type).includes(status));
        const here: readonly ErrorType[] = status === HEADERS_TOO_LARGE ? ['ValidationError'] : ofStatus;
        const body = {
          schema: {
            allOf: [reference('Error')],
            properties: { error_type: { enum: here } },
          },
          examples: Object.fromEntries(
            here.map((type) => [type, { summary: ERROR_CATALOGUE[type].when, value: errorExample(type) }]),
          ),
        };
        const description = here.map((type) => `\`${type}\`: ${ERROR_CATALOGUE[type].message}`).join('. ');
        const headers = headersOf({ status, route });
        return [`${status}`, { description, headers, content: { 'application/json': body } }];
      }),
  );
}

/** The server refuses a long address or long headers before it knows the route. */
const HEADERS_TOO_LARGE = 431;

function statusesOf(type: ErrorType): number[] {
  const row: { readonly status: number; readonly otherStatus?: number } = ERROR_CATALOGUE[type];
  return row.otherStatus === undefined ? [row.status] : [row.otherStatus, row.status];
}

/** Returns the headers of an answer. */
export function headersOf(answer: Answer): Readonly<Record<string, JsonSchema>> {
  const here = RESPONSE_HEADERS.filter((header) => isDescribable(header) && isOn(header.on, answer));
  return Object.fromEntries(here.map(({ name }) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** OpenAPI ignores this header, because the media types of the content describe it. */
function isDescribable({ name }: { readonly name: string }): boolean {
  return name !== 'Content-Type';
}

/**
 * Interprets the descriptions in RESPONSE_HEADERS: `all`, statuses, rate-limited paths, keys with a quota, or captures.
 */
function isOn(on: string, { status, route }: Answer): boolean {
  if (on === 'all') return true;
  if (/^\d/.test(on)) return on.includes(`${status}`);
  if (on.endsWith('with a quota')) return route.callers !== 'anyone';
  if (on.endsWith('when limited')) return route.isLimited === true;
  if (on.startsWith('POST ')) return status < 300 && on === `POST ${route.path}`;
  return status === 200 && (route.path === '/capture' || route.path === '/jobs/:id/result');
}
