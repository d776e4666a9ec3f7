import { describe, expect, it } from 'vitest';
import { ROUTES } from '../../../../src/list.ts';
import { createOpenApi } from '../../../../src/core/http/openapi/document.ts';
import { groupFields, labelOf, parseReference } from '../../../../src/programs/playground/reference.ts';
import { fromFragment, toFragment } from '../../../../src/programs/playground/form/values.ts';

const openApi = JSON.parse(
  JSON.stringify(createOpenApi({ routes: ROUTES, version: '1', keys: { isRequired: true }, maxWaitMs: 60_000 })),
);
const reference = parseReference(openApi);
const { fields } = reference;

describe('toFragment and fromFragment', () => {
  it('preserve every kind of value', () => {
    const values = {
      url: 'https://example.com/?a=b&c=d#e',
      full_page: true,
      javascript: false,
      pixel_density: 1.5,
      hide_selectors: ['.a', '#b'],
      clip: { x: 0, y: 1, width: 2, height: 3 },
      format: 'pdf',
    };

    expect(fromFragment(`#${toFragment(values, fields)}`, fields)).toEqual(values);
  });

  it('exclude secrets and code, both ways', () => {
    const values = {
      url: 'https://example.com/',
      http_auth: { username: 'a', password: 'hidden' },
      cookies: [{ name: 'a', value: 'hidden' }],
      custom_headers: { a: 'hidden' },
      custom_js: 'hidden()',
    };

    expect(toFragment(values, fields)).toBe('url=https%3A%2F%2Fexample.com%2F');
    expect(fromFragment('#custom_js=hidden()&http_auth={}', fields)).toEqual({});
  });

  it('ignore invalid values in an address', () => {
    expect(fromFragment('#window_width=wide&full_page=maybe&clip=%7B&nothing=1&toString=2', fields)).toEqual({});
  });

  it('omit values that would make an address too long', () => {
    expect(toFragment({ html_content: 'x'.repeat(8_001), full_page: true }, fields)).toBe('full_page=true');
  });
});

describe('parseReference', () => {
  it('parses the field reference that builds the form', () => {
    expect(reference).toMatchObject({
      alternatives: ['url', 'html_content', 'markdown_content', 'file'],
      needsToken: true,
    });
    expect(reference.warnings['network_not_idle']).toMatch(/ran out of time/);
    expect(groupFields(reference).map(({ name }) => name)).toEqual(
      openApi['x-groups'].map(({ name }: { name: string }) => name),
    );
  });

  it('puts a field without a group into the last group', () => {
    const field = { name: 'unassigned', schema: { type: 'integer' } };
    const stray = { name: 'stray', schema: { type: 'integer', 'x-group': 'unheard of' } };

    const last = groupFields({ ...reference, fields: [...fields, field, stray] }).at(-1);

    expect(last).toMatchObject({ name: 'more', fields: expect.arrayContaining([field, stray]) });
  });

  it('assigns every field to one group', () => {
    const grouped = groupFields(reference).flatMap((group) => group.fields);

    expect(grouped.map(({ name }) => name).toSorted()).toEqual(fields.map(({ name }) => name).toSorted());
  });
});

describe('labelOf', () => {
  it.each([
    ['wait_for_selector', 'Wait for selector'],
    ['url', 'URL'],
    ['custom_css', 'Custom CSS'],
    ['ignore_https_errors', 'Ignore HTTPS errors'],
  ])('formats %s as %s', (name, label) => {
    expect(labelOf(name)).toBe(label);
  });
});
