import { describe, expect, it } from 'vitest';
import { cacheKey } from '../../src/cache/cache-key.ts';
import { captureSchema, type CaptureOptions } from '../../src/capture/options.ts';
import { parseOptions } from '../../src/capture/parse-options.ts';

const URL = 'https://example.com/';
/** Another value than the default for every field that a capture of an address can have. */
const OTHER_VALUES: Readonly<Record<Exclude<keyof CaptureOptions, 'html_content'>, unknown>> = {
  url: 'https://example.com/other',
  format: 'jpeg',
  full_page: true,
  full_page_scroll: false,
  full_page_max_height: 500,
  clip: { x: 0, y: 0, width: 10, height: 10 },
  selector: 'h1',
  window_width: 1281,
  window_height: 721,
  pixel_density: 2,
  is_mobile: true,
  wait_for_selector: 'h1',
  wait_for_network: 'idle',
  wait_for_function: 'true',
  delay_capture: 1,
  wait_for_timeout: 29_999,
  block_media: true,
  hide_selectors: ['h1'],
  custom_css: 'h1 { color: red }',
  disable_animations: false,
  dark_mode: true,
  reduced_motion: true,
  media_type: 'print',
  user_agent: 'other',
  locale: 'de',
  timezone: 'Europe/Zurich',
  has_touch: true,
  javascript: false,
  custom_headers: { 'X-A': 'b' },
  cookies: [{ name: 'a', value: 'b' }],
  http_auth: { username: 'a', password: 'b' },
  custom_js: '1',
  ignore_https_errors: true,
  fail_on_http_error: true,
  omit_background: true,
  image_quality: 89,
  pdf_format: 'A3',
  pdf_print_background: false,
  cache_ttl: 61,
};

describe('cacheKey', () => {
  it.each(Object.keys(captureSchema.shape).filter((name) => name !== 'html_content'))(
    'is another one for another %s',
    (name) => {
      const other = Object.entries(OTHER_VALUES).find(([field]) => field === name)?.[1];

      expect(other, `a value for ${name} belongs into this test`).toBeDefined();
      expect(keyOf({ [name]: other })).not.toBe(keyOf({}));
    },
  );

  it('is another one for markup than for an address, and for other markup', () => {
    const ofMarkup = ['a', ' a', URL].map((markup) => keyOf({ url: undefined, html_content: markup }));

    expect(new Set([keyOf({}), ...ofMarkup]).size).toBe(4);
  });

  it.each([
    ['cookies', [{ name: 'a', value: 'b' }], [{ name: 'a', value: 'c' }]],
    ['custom_headers', { 'X-A': 'b' }, { 'X-A': 'c' }],
    ['http_auth', { username: 'a', password: 'b' }, { username: 'a', password: 'c' }],
    ['hide_selectors', ['a', 'b'], ['a,b']],
    ['url', `${URL}?a`, `${URL}?A`],
  ])('looks into %s', (name, value, other) => {
    expect(keyOf({ [name]: value })).not.toBe(keyOf({ [name]: other }));
  });

  it('is the same for a default that is named, and in any order', () => {
    expect(keyOf({ format: 'png', window_width: 1280 })).toBe(keyOf({}));
    expect(keyOf({ format: 'pdf', locale: 'de' })).toBe(keyOf({ locale: 'de', format: 'pdf' }));
  });

  it('is another one in another scope', () => {
    expect(keyOf({}, 'a')).not.toBe(keyOf({}, 'b'));
  });

  it('shows nothing of a password', () => {
    const key = keyOf({ http_auth: { username: 'a', password: 'hunter2' } });

    expect(key).toMatch(/^[\w-]{43}$/);
    expect(Buffer.from(key, 'base64url').toString('latin1')).not.toContain('hunter2');
  });
});

function keyOf(fields: object, scope = ''): string {
  return cacheKey(parseOptions({ url: URL, cache_ttl: 60, ...fields }, { maxWaitMs: 60_000 }), scope);
}
