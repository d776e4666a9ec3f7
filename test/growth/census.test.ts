import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { captureSchema } from '../../src/core/capture/request/options.ts';
import { ROUTES } from '../../src/list.ts';
import { createOpenApi } from '../../src/core/http/openapi/document.ts';
import { ALL_CASES } from './all-cases.ts';

const census = readFileSync(join(import.meta.dirname, 'README.md'), 'utf8');
const [fieldPart = '', otherPart = ''] = census.split('## Everything else');
const rowsOf = (part: string): readonly (readonly string[])[] =>
  [...part.matchAll(/^\| (.*) \|$/gm)].map(([, row = '']) => row.split(/(?<!\\) \| /)).slice(2);
const [fields, others] = [rowsOf(fieldPart), rowsOf(otherPart)];
const names = fields.map(([name = '']) => name.replaceAll('`', ''));

interface Schema {
  readonly properties?: Readonly<Record<string, unknown>>;
}
const { components, paths } = createOpenApi({
  routes: ROUTES,
  version: '1.2.3',
  keys: { isRequired: true },
  maxWaitMs: 60_000,
});

describe('the census of inputs', () => {
  it('has a row for each field and parameter of the OpenAPI document', () => {
    const schemas: Readonly<Record<string, Schema>> = components.schemas;
    const requests = Object.keys(schemas).filter((name) => name.endsWith('Request'));
    const parameters = [...JSON.stringify(paths).matchAll(/"in":"[^"]+","name":"([^"]+)"|"name":"([^"]+)","in":/g)].map(
      ([, name, other]) => name ?? other ?? '',
    );
    const known = [...requests.flatMap((name) => Object.keys(schemas[name]?.properties ?? {})), ...parameters];

    expect(known.length).toBeGreaterThan(100);
    expect(names.toSorted()).toEqual([...new Set(known)].toSorted());
  });

  it('states a bound for each of them', () => {
    expect(fields.filter(([, , bound = '']) => bound === '')).toEqual([]);
    expect(others.filter(([, bound = '']) => bound === '')).toEqual([]);
  });

  it('names cases that exist', () => {
    const cases = new Set(ALL_CASES.map(({ name }) => name));

    expect(cases.size).toBe(ALL_CASES.length);
    const unknown = [...fields, ...others].map((row) => row.at(-1) ?? '').filter((name) => !cases.has(name));
    expect([...new Set(unknown)]).toEqual(['—']);
  });

  it.each(['block_requests', 'hide_selectors', 'extract', 'storage_state', 'cookies', 'actions'])(
    'has a case for %s, which multiplies the page',
    (name) => {
      expect(Object.hasOwn(captureSchema.shape, name)).toBe(true);
      expect(fields.find(([field]) => field === `\`${name}\``)?.at(-1)).not.toBe('—');
    },
  );
});
