import { describe, expect, it } from 'vitest';
import { parseOptions, readTextFields } from '../../../../src/core/capture/request/parse-options.ts';
import { ServiceError } from '../../../../src/core/ground/errors.ts';

const LIMITS = { maxWaitMs: 60_000 };
const url = 'https://example.com/';

describe('parseOptions', () => {
  it('applies the defaults', () => {
    expect(parseOptions({ url }, LIMITS).capture).toMatchObject({
      url,
      format: 'png',
      full_page: false,
      full_page_scroll: true,
      omit_background: false,
      delay_capture: 0,
      run_ahead: 6_000,
      disable_animations: true,
      has_touch: false,
      is_mobile: false,
      javascript: true,
      ignore_https_errors: false,
      fail_on_http_error: false,
      window_width: 1280,
      window_height: 720,
      pixel_density: 1,
      wait_for_timeout: 30_000,
      block_media: false,
      cache_ttl: 0,
      image_quality: 90,
      resize_fit: 'inside',
      pdf_print_background: true,
    });
  });

  it.each([
    ['window_width', [1, 7680], [0, 7681, 1.5, '9', null]],
    ['window_height', [1, 7680], [0, 7681, Infinity, NaN]],
    ['pixel_density', [0.1, 1.25, 5], [0.09, 5.01, '1']],
    ['image_quality', [0, 100], [-1, 101, 50.5]],
    ['color', ['full', 'gray', 'mono'], ['grey', '', null]],
    ['resize_width', [1, 7680], [0, 7681, 1.5, '400', null]],
    ['resize_height', [1, 7680], [0, 7681, -1]],
    ['wait_for_timeout', [1, 60_000], [0, 60_001, 1.5]],
    ['full_page', [true, false], [1, 'true', null]],
    ['block_media', [true, false], [0, 'false']],
    ['pdf_print_background', [true, false], ['yes']],
    ['format', ['png', 'jpeg', 'webp', 'avif', 'pdf', 'html'], ['jpg', 'PNG', '']],
    ['pdf_format', ['A0', 'a6', 'LETTER', 'ledger'], ['A7', 'B4', '', 4]],
    ['wait_for_network', ['idle', 'mostly_idle'], ['load', '']],
    ['selector', ['a', 'x'.repeat(1_024)], ['', 'x'.repeat(1_025), 1]],
    ['wait_for_selector', ['a'], ['', 'x'.repeat(1_025)]],
  ])('accepts and refuses values of %s', (field, good, bad) => {
    for (const value of good) expect(detailsOf({ url, [field]: value })).toBeUndefined();
    for (const value of bad) expect(detailsOf({ url, [field]: value })).toMatch(new RegExp(`^${field}: must be`));
  });

  it.each([
    'http://a',
    'https://user:password@example.com:8443/a?b=c#d',
    'http://[::1]/',
    'https://例え.jp/',
    `http://a/${'a'.repeat(8_183)}`,
  ])('accepts the URL %s', (address) => {
    expect(detailsOf({ url: address })).toBeUndefined();
  });

  it.each([
    'example.com',
    '//example.com/',
    'ftp://example.com/',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'data:text/html,x',
    'about:blank',
    'view-source:http://a/',
    'http://',
    'http://a b/',
    'http://a/\n',
    'http://a/\u0000',
    'http://a/\uD800',
    `http://a/${'a'.repeat(8_184)}`,
    '',
    42,
  ])('refuses the URL %j', (address) => {
    expect(detailsOf({ url: address })).toMatch(/^url: must be an absolute http: or https: address/);
  });

  it.each([
    [{}, 'Either url or html_content must be provided'],
    [
      { url: 'http://x/?a=1', b: '2' },
      'b: is not a known field; url: percent-encode it, if its own query was cut off at &',
    ],
    [{ url: 'http://x/', b: '2' }, 'b: is not a known field'],
    [{ url, html_content: 'x' }, 'Only one of url and html_content may be provided'],
    [[], 'The request must be a JSON object'],
    [null, 'The request must be a JSON object'],
    [{ url, fullpage: true }, 'fullpage: is not a known field, did you mean full_page?'],
    [{ url, quality: 9 }, 'quality: is not a known field, did you mean image_quality?'],
    [JSON.parse('{"html_content":"x","__proto__":{}}'), '__proto__: is not a known field'],
  ])('refuses %j', (input, details) => {
    expect(detailsOf(input)).toBe(details);
  });

  it('names at most ten unknown fields, and truncates long names', () => {
    const many = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`${index}${'x'.repeat(500)}`, 1]));

    expect(detailsOf({ url, ...many })?.length).toBeLessThan(1_200);
  });
});

describe('readTextFields', () => {
  it('returns the same as equivalent JSON', () => {
    const fields = {
      full_page: true,
      block_media: false,
      window_width: 640,
      pixel_density: 1.3333333730697632, // as many digits as JavaScript writes
      selector: 'true',
    };
    const text = new Map([['url', url], ...Object.entries(fields).map(([name, value]) => [name, `${value}`] as const)]);

    expect(parseOptions(readTextFields(text), LIMITS)).toEqual(parseOptions({ url, ...fields }, LIMITS));
  });

  it.each([
    ['1', true],
    ['0', false],
    ['true', true],
    ['false', false],
  ])('parses the boolean %s', (text, value) => {
    expect(
      parseOptions(
        readTextFields(
          new Map([
            ['url', url],
            ['full_page', text],
          ]),
        ),
        LIMITS,
      ).capture.full_page,
    ).toBe(value);
  });

  it.each([
    ['full_page', 'True'],
    ['full_page', ''],
    ['full_page', 'constructor'],
    ['window_width', '0x10'],
    ['window_width', '1e3'],
    ['window_width', ' 9'],
    ['window_width', '+9'],
    ['window_width', ''],
    ['window_width', '9.5'],
    ['pixel_density', '.5'],
    ['pixel_density', '1,5'],
    ['pixel_density', 'Infinity'],
  ])('refuses %s=%j', (field, text) => {
    expect(() =>
      parseOptions(
        readTextFields(
          new Map([
            ['url', url],
            [field, text],
          ]),
        ),
        LIMITS,
      ),
    ).toThrow(ServiceError);
  });

  it.each(['__proto__', 'constructor', 'toString'])('reports %s as an unknown name', (name) => {
    const parse = () =>
      parseOptions(
        readTextFields(
          new Map([
            ['html_content', 'x'],
            [name, '1'],
          ]),
        ),
        LIMITS,
      );

    expect(parse).toThrow(expect.objectContaining({ details: `${name}: is not a known field` }));
  });
});

function detailsOf(input: unknown): string | undefined {
  try {
    parseOptions(input, LIMITS);
  } catch (error) {
    return error instanceof ServiceError ? error.details : String(error);
  }
  return undefined;
}
