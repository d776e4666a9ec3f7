import { describe, expect, it } from 'vitest';
import { cacheKey } from '../../../src/parts/cache/with-cache.ts';
import { deliveryFields } from '../../../src/core/capture/request/delivery.ts';
import { parseOptions } from '../../../src/core/capture/request/parse-options.ts';
import { fieldSchemas } from '../../../src/core/http/routes/capture-operations.ts';
import { NEED_SETTINGS, requestWith } from '../../support/example-fields.ts';

const URL = 'https://example.com/page'; // differs from the example of `url`
// Templates are replaced by their page before the key is computed.
const FIELDS = Object.entries(fieldSchemas({ maxWaitMs: 60_000 }))
  .filter(([name]) => name !== 'html_content' && name !== 'markdown_content' && name !== 'file')
  .filter(([name]) => !NEED_SETTINGS.has(name))
  .filter(([name]) => name === 'response_type' || !(name in deliveryFields.shape));

// Fields to omit: a paper width requires a height, and the reverse.
const WITHOUT: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  pdf_width: { pdf_width: '99mm' },
  pdf_height: { pdf_height: '99mm' },
};

describe('cacheKey', () => {
  it.each(FIELDS)('differs for another %s', (name, { examples, default: usual }) => {
    const given: unknown[] = Array.isArray(examples) ? examples : [];
    // Every field has an example. The example of a boolean may be its default.
    const other = [...given, !usual].find((value) => value !== usual);

    const fields = { url: undefined, ...requestWith(name, other, URL) };
    const without = name === 'url' ? { url: URL } : { [name]: undefined };
    expect(keyOf(fields)).not.toBe(keyOf({ ...fields, ...without, ...WITHOUT[name] }));
  });

  it.each([
    { store: true, store_path: 'a.png' },
    { file_name: 'a.png', disposition: 'inline' },
  ])('is the same for another delivery: %j', (delivery) => {
    expect(keyOf(delivery)).toBe(keyOf({}));
  });

  it('differs for markup and a URL, and for other markup', () => {
    const ofMarkup = ['a', ' a', URL].flatMap((markup) => [
      keyOf({ url: undefined, html_content: markup }),
      keyOf({ url: undefined, markdown_content: markup }),
    ]);

    expect(new Set([keyOf({}), ...ofMarkup]).size).toBe(7);
  });

  it.each([
    ['cookies', [{ name: 'a', value: 'b' }], [{ name: 'a', value: 'c' }]],
    ['custom_headers', { 'X-A': 'b' }, { 'X-A': 'c' }],
    ['http_auth', { username: 'a', password: 'b' }, { username: 'a', password: 'c' }],
    ['hide_selectors', ['a', 'b'], ['a,b']],
    ['url', `${URL}?a`, `${URL}?A`],
  ])('depends on %s', (name, value, other) => {
    expect(keyOf({ [name]: value })).not.toBe(keyOf({ [name]: other }));
  });

  it('is the same for an explicit default, and in any order', () => {
    expect(keyOf({ format: 'png', window_width: 1280 })).toBe(keyOf({}));
    expect(keyOf({ format: 'pdf', locale: 'de' })).toBe(keyOf({ locale: 'de', format: 'pdf' }));
  });

  it('differs in another scope', () => {
    expect(keyOf({}, 'a')).not.toBe(keyOf({}, 'b'));
  });

  it('reveals no password', () => {
    const key = keyOf({ http_auth: { username: 'a', password: 'hunter2' } });

    expect(key).toMatch(/^[\w-]{43}$/);
    expect(Buffer.from(key, 'base64url').toString('latin1')).not.toContain('hunter2');
  });
});

function keyOf(fields: object, scope = ''): string {
  return cacheKey(parseOptions({ url: URL, cache_ttl: 60, ...fields }, { maxWaitMs: 60_000 }).capture, scope);
}
