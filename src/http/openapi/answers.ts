import { WARNINGS } from '../../capture/common/step.ts';
import { ERROR_CATALOGUE, type ErrorType } from '../../errors.ts';
import { FORMATS } from '../../capture/formats/index.ts';
import { RESPONSE_HEADERS } from '../response-headers.ts';
import { constantsOf, errorExample } from './answer-schemas.ts';
import type { JsonSchema } from './request-schema.ts';

/** Which answers have a header, in the words of RESPONSE_HEADERS. */
interface Answer {
  readonly status: number;
  readonly path: string;
}

interface Response {
  readonly description: string;
  readonly headers: Readonly<Record<string, JsonSchema>>;
  readonly content: Readonly<Record<string, JsonSchema>>;
}

export type Responses = Readonly<Record<string, Response>>;

/** Every header of ours, described once. */
export function headerComponents(): Readonly<Record<string, JsonSchema>> {
  return Object.fromEntries(
    RESPONSE_HEADERS.filter(isDescribable).map(({ name, on, meaning, type = 'string' }) => {
      const schema =
        name === 'X-Capture-Warnings' ? { type: 'array', items: constantsOf(WARNINGS) } : { type };
      return [name, { description: `${meaning}. On: ${on}.`, schema }];
    }),
  );
}

/** A capture: a media type for each format. */
export function captureResponse(): Response {
  const content = Object.values(FORMATS).map(({ mimeType }): [string, JsonSchema] => {
    const [type = mimeType] = mimeType.split(';');
    return [type, type.startsWith('text/') ? { schema: { type: 'string' } } : {}];
  });
  return {
    description: 'The capture, in the format asked for',
    headers: headersOf({ status: 200, path: '/capture' }),
    content: Object.fromEntries(content),
  };
}

/** An answer of JSON. */
export function jsonResponse(answer: Answer, description: string, schema: JsonSchema): Response {
  return { description, headers: headersOf(answer), content: { 'application/json': { schema } } };
}

/** The errors, by status. */
export function errorResponses(path: string, types: readonly ErrorType[]): Responses {
  const statuses = new Set(types.flatMap(statusesOf));
  return Object.fromEntries(
    [...statuses]
      .toSorted((a, b) => a - b)
      .map((status) => {
        const here = types.filter((type) => statusesOf(type).includes(status));
        const body = {
          schema: {
            allOf: [{ $ref: '#/components/schemas/Error' }],
            properties: { error_type: { enum: here } },
          },
          examples: Object.fromEntries(
            here.map((type) => [type, { summary: ERROR_CATALOGUE[type].when, value: errorExample(type) }]),
          ),
        };
        const description = here.map((type) => `\`${type}\`: ${ERROR_CATALOGUE[type].message}`).join('. ');
        const headers = headersOf({ status, path });
        return [`${status}`, { description, headers, content: { 'application/json': body } }];
      }),
  );
}

function statusesOf(type: ErrorType): number[] {
  const row: { readonly status: number; readonly otherStatus?: number } = ERROR_CATALOGUE[type];
  return row.otherStatus === undefined ? [row.status] : [row.otherStatus, row.status];
}

function headersOf(answer: Answer): Readonly<Record<string, JsonSchema>> {
  const here = RESPONSE_HEADERS.filter((header) => isDescribable(header) && isOn(header.on, answer));
  return Object.fromEntries(here.map(({ name }) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** OpenAPI says it by the media types of the content, and ignores it as a header. */
function isDescribable({ name }: { readonly name: string }): boolean {
  return name !== 'Content-Type';
}

/** Reads what RESPONSE_HEADERS says for people: `all`, statuses, a path, or some kind of capture. */
function isOn(on: string, { status, path }: Answer): boolean {
  if (on === 'all') return true;
  if (/^\d/.test(on)) return on.includes(`${status}`);
  if (on.startsWith('/')) return on.includes(path);
  return status === 200 && path === '/capture';
}
