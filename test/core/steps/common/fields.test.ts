import { describe, expect, it } from 'vitest';
import { FIELD_NAMES } from '../../../../src/core/capture/request/options.ts';
import { parseOptions, readTextFields } from '../../../../src/core/capture/request/parse-options.ts';
import { checkSignedFields, SENSITIVE_FIELDS } from '../../../../src/core/capture/request/sensitive-fields.ts';
import { ServiceError } from '../../../../src/core/ground/errors.ts';

const LIMITS = { maxWaitMs: 60_000 };
const url = 'https://example.com/';
const long = (length: number): string => 'x'.repeat(length);
const listOf = <T>(length: number, item: T): T[] => Array.from({ length }, () => item);
const headersOf = (count: number): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`x-${index}`, '1']));

describe('parseOptions', () => {
  it.each<[field: string, good: readonly unknown[], bad: readonly unknown[]]>([
    ['cache_ttl', [0, 2_592_000], [-1, 2_592_001, 0.5, '1']],
    ['delay_capture', [0, 30_000], [-1, 30_001, 0.5, '1']],
    ['wait_for_function', ['a', long(10_000)], ['', long(10_001), 1]],
    ['hide_selectors', [[], ['a', '#b'], listOf(100, 'a')], ['a', [''], [1], [long(1_025)], listOf(101, 'a'), {}]],
    ['custom_css', ['a{}', long(102_400)], ['', long(102_401), []]],
    ['custom_js', ['a()', long(102_400)], ['', long(102_401), null]],
    ['disable_animations', [true, false], [1, 'true']],
    ['dark_mode', [true, false], ['dark']],
    ['reduced_motion', [true, false], [0]],
    ['media_type', ['screen', 'print'], ['speech', '']],
    ['user_agent', ['a', 'A/1.0 (b; c)', long(1_024)], ['', ' a', 'a ', 'a\nb', 'é', long(1_025), 1]],
    ['locale', ['de', 'de-CH', 'zh-Hant-TW', 'ar-EG-u-nu-latn'], ['', 'x', 'de_CH', 'deutsch-', 'de, en', 5]],
    ['timezone', ['UTC', 'Europe/Zurich', 'asia/tokyo'], ['', '+01:00', 'Mars/Base', '../etc/passwd', 1]],
    ['is_mobile', [true, false], ['yes']],
    ['has_touch', [true, false], [5]],
    ['javascript', [true, false], ['off']],
    ['ignore_https_errors', [true, false], ['1']],
    ['fail_on_http_error', [true, false], [404]],
    [
      'fail_on_status',
      [['404'], ['4xx', '5xx', '204']],
      [[], [404], ['600'], ['4XX'], ['40x'], '404', [''], Array.from({ length: 51 }, () => '404')],
    ],
    ['fail_on_resource_status', [['404'], ['5xx']], [[], ['x'], ['99']]],
    ['custom_headers', [{}, { 'X-A': '' }, { authorization: 'Bearer a b' }, headersOf(50)], [[], 'a', headersOf(51)]],
    [
      'cookies',
      [[], [{ name: 'a', value: '' }], listOf(100, { name: 'a', value: '' })],
      [{}, 'a=b', listOf(101, { name: 'a', value: '' })],
    ],
    ['http_auth', [{ username: 'a', password: 'b' }], ['a:b', [], null]],
    [
      'geolocation',
      [
        { latitude: 0, longitude: 0 },
        { latitude: -90, longitude: 180, accuracy: 1e6 },
      ],
      ['47.4,8.5', [47.4, 8.5], null],
    ],
  ])('accepts and refuses values of %s', (field, good, bad) => {
    expect(good.map((value) => detailsOf({ url, [field]: value }))).toEqual(good.map(() => undefined));
    for (const value of bad)
      expect(detailsOf({ url, [field]: value })).toMatch(new RegExp(`^${field}(\\[0\\])?: must be`));
  });

  it.each([
    [{ Host: 'a' }, /^custom_headers\.Host: can't be set: only the browser sets it$/],
    [{ 'content-length': '1' }, /^custom_headers\.content-length: can't be set/],
    [{ Connection: 'a' }, /^custom_headers\.Connection: can't be set/],
    [{ 'Transfer-Encoding': 'a' }, /^custom_headers\.Transfer-Encoding: can't be set/],
    [{ 'Proxy-Authorization': 'a' }, /^custom_headers\.Proxy-Authorization: can't be set/],
    [{ 'Sec-Fetch-Site': 'a' }, /^custom_headers\.Sec-Fetch-Site: can't be set/],
    [{ Cookie: 'a=b' }, /^custom_headers\.Cookie: can't be set here: use the field cookies$/],
    [{ 'a b': 'c' }, /^custom_headers\.a b: is not the name of a header$/],
    [{ 'a:': 'c' }, /is not the name of a header/],
    [{ '': 'c' }, /is not the name of a header/],
    [{ a: 'b\r\nc: d' }, /^custom_headers\.a: must be at most 8192 visible ASCII characters/],
    [{ a: 'é' }, /^custom_headers\.a: must be/],
    [{ a: 1 }, /^custom_headers\.a: must be/],
    [{ a: long(8_193) }, /^custom_headers\.a: must be/],
    [{ [long(500)]: 'a' }, /^custom_headers\.x{64}: is not the name of a header$/],
  ])('refuses the headers %j', (custom_headers, details) => {
    expect(detailsOf({ url, custom_headers })).toMatch(details);
  });

  it.each([
    [[{ value: 'a' }], 'cookies[0].name: must be text of 1 to 4096 characters'],
    [[{ name: 'a' }], 'cookies[0].value: must be text of at most 4096 characters'],
    [['a=b'], 'cookies[0]: must be an object with name and value'],
    [[{ name: 'a', value: 'b', httpOnly: true }], 'cookies[0].httpOnly: is not a known field'],
    [[{ name: 'a', value: 'b', same_site: 'Lax' }], 'cookies[0].same_site: must be one of strict, lax, none'],
    [[{ name: 'a', value: 'b', expires: -1 }], 'cookies[0].expires: must be a number from 0 to 253402300799'],
  ])('refuses the cookies %j', (cookies, details) => {
    expect(detailsOf({ url, cookies })).toBe(details);
  });

  it.each([
    [{ latitude: 91, longitude: 0 }, 'geolocation.latitude: must be a number from -90 to 90'],
    [{ latitude: 0, longitude: '8.5' }, 'geolocation.longitude: must be a number from -180 to 180'],
    [{ latitude: 0 }, 'geolocation.longitude: must be a number from -180 to 180'],
    [{ latitude: 0, longitude: 0, accuracy: -1 }, 'geolocation.accuracy: must be a number from 0 to 1000000'],
    [{ latitude: 0, longitude: 0, altitude: 1 }, 'geolocation.altitude: is not a known field'],
  ])('refuses the geolocation %j', (geolocation, details) => {
    expect(detailsOf({ url, geolocation })).toBe(details);
  });

  it.each([
    ['custom_headers', { a: 'b' }],
    ['cookies', []],
    ['http_auth', { username: 'a', password: 'b' }],
    ['geolocation', { latitude: 1, longitude: 2 }],
  ])('refuses %s without url', (field, value) => {
    expect(detailsOf({ html_content: '<p>', [field]: value })).toBe(
      `${field}: needs url, because html_content has no origin`,
    );
  });
});

describe('readTextFields', () => {
  it('parses lists and objects as JSON', () => {
    const fields = {
      hide_selectors: ['a', '[b="c"]'],
      custom_headers: { 'X-A': '1' },
      cookies: [{ name: 'a', value: 'b' }],
      http_auth: { username: 'a', password: 'b' },
    };
    const text = new Map([
      ['url', url],
      ...Object.entries(fields).map(([name, value]) => [name, JSON.stringify(value)] as const),
    ]);

    expect(parseOptions(readTextFields(text), LIMITS)).toEqual(parseOptions({ url, ...fields }, LIMITS));
  });

  it.each([
    ['hide_selectors', '#a', 'hide_selectors: must be a list of at most 100 CSS selectors'],
    ['hide_selectors', '["a"', 'hide_selectors: must be a list of at most 100 CSS selectors'],
    ['http_auth', 'a:b', 'http_auth: must be an object with username and password'],
    ['cookies', 'a=b', 'cookies: must be a list of at most 100 cookies'],
  ])('refuses %s=%s', (field, text, details) => {
    const parse = (): unknown =>
      parseOptions(
        readTextFields(
          new Map([
            ['url', url],
            [field, text],
          ]),
        ),
        LIMITS,
      );

    expect(parse).toThrow(expect.objectContaining({ details }));
  });
});

describe('names of other services', () => {
  it.each([
    ['width', 'window_width'],
    ['viewport_width', 'window_width'],
    ['quality', 'image_quality'],
    ['delay', 'delay_capture'],
    ['timeout', 'wait_for_timeout'],
    ['waitUntil', 'wait_for_network'],
    ['wait_until', 'wait_for_network'],
    ['fullPage', 'full_page'],
    ['deviceScaleFactor', 'pixel_density'],
    ['html', 'html_content'],
  ])('lead from %s to %s', (name, field) => {
    expect(detailsOf({ url, [name]: 1 })).toBe(`${name}: is not a known field, did you mean ${field}?`);
  });
});

describe('checkSignedFields', () => {
  it('accepts only known fields', () => {
    expect(FIELD_NAMES).toEqual(expect.arrayContaining([...SENSITIVE_FIELDS]));
  });

  it('names every field that is not allowed', () => {
    expect(() => checkSignedFields(new Set(['url', 'cookies', 'custom_js', 'http_auth']), ['http_auth'])).toThrow(
      expect.objectContaining({
        details:
          'cookies: is not accepted in a signed URL unless SIGNED_URL_ALLOW names it; ' +
          'custom_js: is not accepted in a signed URL unless SIGNED_URL_ALLOW names it',
      }),
    );
  });
});

function detailsOf(input: unknown): string | undefined {
  try {
    parseOptions(input, LIMITS);
    return undefined;
  } catch (error) {
    if (error instanceof ServiceError) return error.details;
    throw error;
  }
}
