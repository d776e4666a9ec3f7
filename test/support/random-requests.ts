import * as fc from 'fast-check';
import { signedQuery } from '../../src/core/access/signature.ts';
import { FIELD_NAMES } from '../../src/core/capture/request/options.ts';

/** Number of keys from which random requests choose. Some requests name a key that does not exist. */
export const KEYS = 40;
export const idOf = (n: number): string => `key-${n % KEYS}`;
export const secretOf = (id: string): string => `secret of ${id}`.padEnd(32, '.');

const oddText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom(
    '',
    ' ',
    '*',
    '-1',
    '1e9',
    '9'.repeat(400),
    'null',
    '\u0000',
    '../../etc',
    '{{ a | raw }}',
    '<!--'.repeat(500),
  ),
  fc.nat({ max: 200_000 }).map((length) => 'a'.repeat(length)),
);
const value = fc.oneof(oddText, fc.integer(), fc.double(), fc.boolean(), fc.jsonValue({ maxDepth: 3 }));
const usualFields = fc.record(
  {
    url: fc.constantFrom('https://a.example/', 'https://b.example/', 'https://evil.test/', 'http://127.0.0.1/'),
    cache_ttl: fc.constantFrom(0, 60),
    format: fc.constantFrom('png', 'pdf', 'webp', 'gif'),
    store: fc.boolean(),
  },
  { requiredKeys: ['url'] },
);
const oddFields = fc.dictionary(fc.oneof(fc.constantFrom(...FIELD_NAMES), oddText), value, { maxKeys: 6 });
const templateFields = fc.record(
  {
    template: fc.oneof(fc.constantFrom('card', 'raw', 'inner', 'none'), oddText),
    data: fc.oneof(
      fc.record({
        title: fc.oneof(oddText, fc.constant('T')),
        rows: fc.array(fc.record({ b: oddText }), { maxLength: 5 }),
      }),
      fc.record({
        html: fc.oneof(
          oddText,
          fc.nat({ max: 20_000 }).map((n) => '<!---->'.repeat(n)),
        ),
      }),
      fc.jsonValue({ maxDepth: 4 }),
    ),
  },
  { requiredKeys: ['template'] },
);
const sentFields = fc.oneof(
  { weight: 3, arbitrary: usualFields },
  { weight: 2, arbitrary: templateFields },
  { weight: 1, arbitrary: oddFields },
  fc.tuple(usualFields, oddFields).map(([usual, odd]) => ({ ...odd, ...usual })),
);
const headers = fc.record(
  {
    'if-none-match': fc.oneof(fc.constantFrom('*', 'W/"a"', '"a", "b"'), fc.base64String({ maxLength: 99 })),
    'x-request-id': fc.base64String({ maxLength: 99 }),
    'idempotency-key': fc.base64String({ minLength: 1, maxLength: 99 }),
    'content-type': fc.constantFrom('application/json', 'text/plain', 'application/json; charset=latin1'),
  },
  { requiredKeys: [] },
);
/** Requests of all ways, with usual and odd fields, templates, data and headers. The token of a key is its id. */
export const randomRequests = fc.record({
  key: fc.nat({ max: KEYS + 1 }),
  way: fc.constantFrom('POST', 'GET', 'link', 'sign', 'mcp', 'usage', 'templates'),
  fields: sentFields,
  headers,
  bearer: fc.oneof({ weight: 9, arbitrary: fc.constant(undefined) }, fc.base64String({ maxLength: 99 })),
});
export type RandomRequest = typeof randomRequests extends fc.Arbitrary<infer T> ? T : never;

function textsOf(fields: object): Map<string, string> {
  return new Map(
    Object.entries(fields).map(([name, each]) => [
      name,
      typeof each === 'string' ? each : (JSON.stringify(each) ?? ''),
    ]),
  );
}

/** Returns the request for `fetch`: path, and options. */
export function toRequest({ key, way, fields, bearer, ...sent }: RandomRequest): [string, RequestInit] {
  const id = key >= KEYS ? 'none' : idOf(key);
  const authorization = `Bearer ${bearer ?? id}`;
  const asJson = { 'content-type': 'application/json', ...sent.headers, authorization };
  const post = (body: object): RequestInit => ({
    method: 'POST',
    headers: asJson,
    body: JSON.stringify(body),
  });
  const params = textsOf(fields);
  if (way === 'GET')
    return [`/capture?${new URLSearchParams([...params])}`, { headers: { ...sent.headers, authorization } }];
  if (way === 'link')
    return [`/capture?${signedQuery(new Map([...params, ['key', id]]), secretOf(id))}`, { headers: sent.headers }];
  if (way === 'sign') return ['/sign', post({ params: fields })];
  if (way === 'usage')
    return [`/usage?${new URLSearchParams([...params].slice(0, 2))}`, { headers: { authorization } }];
  if (way === 'templates') return ['/templates', { headers: { authorization } }];
  if (way === 'POST') return ['/capture', post(fields)];
  const call = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'capture_page', arguments: fields },
  };
  const init = post(call);
  return ['/mcp', { ...init, headers: { ...asJson, accept: 'application/json, text/event-stream' } }];
}
