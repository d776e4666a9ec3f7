import { describe, expect, it } from 'vitest';
import { parseOptions, readTextFields } from '../../../src/core/capture/request/parse-options.ts';
import { ServiceError } from '../../../src/core/ground/errors.ts';

const LIMITS = { maxWaitMs: 60_000 };
const BASE = { url: 'https://example.com/', format: 'pdf' };

describe('document fields', () => {
  it.each([
    ['pdf_landscape', [true, false], [1, 'yes']],
    ['pdf_scale', [0.1, 1, 2], [0.09, 2.01, '1', null]],
    [
      'pdf_margin',
      ['10mm', 0, 40, '0', { top: '1cm' }, { left: 1, right: '2pt' }, {}],
      ['x', -1, true, null, [1], '10em'],
    ],
    [
      'pdf_page_ranges',
      ['1', '1-3,5,8-', ' 1 - 2 , 3 ', '2-2', '3,1', '1-2,2-3', '1-999999999'],
      [
        '',
        ' ',
        '0',
        '0-1',
        '-2',
        '--',
        '-',
        '1--2',
        '1-2-3',
        'a',
        '1;2',
        '1 2',
        ',',
        '1,',
        '1-9999999999',
        1,
        '1,'.repeat(600),
      ],
    ],
    ['pdf_single_page', [true], [1]],
    ['pdf_header_html', ['x', 'x'.repeat(20_000)], ['', 'x'.repeat(20_001), 1]],
    ['pdf_footer_html', ['x'], ['']],
    ['pdf_outline', [true], ['true']],
    ['pdf_tagged', [true, false], [0]],
    ['pdf_title', ['Счёт 😀'], ['', 'x'.repeat(1_001), 1]],
    ['pdf_author', ['x'], ['']],
    ['pdf_subject', ['x'], ['']],
    ['pdf_keywords', ['x'], ['']],
  ])('accepts and refuses values of %s, whatever the format', (field, good, bad) => {
    for (const format of ['pdf', 'png']) {
      for (const value of good) expect(refusalOf({ format, [field]: value })).toBeUndefined();
      for (const value of bad)
        expect(refusalOf({ format, [field]: value })).toMatch(new RegExp(`^ValidationError ${field}: must be`));
    }
  });

  it.each(['pdf_width', 'pdf_height'])('accepts lengths above 0 for %s', (field) => {
    const both = { pdf_width: '80mm', pdf_height: '80mm' };

    for (const value of ['100mm', '4in', 400, '400', '300pt'])
      expect(refusalOf({ ...both, [field]: value })).toBeUndefined();
    for (const value of [0, '0mm', -1, '1em', null, {}])
      expect(refusalOf({ ...both, [field]: value })).toMatch(`ValidationError ${field}: must be a length`);
  });

  it.each([
    [{ pdf_margin: { top: 'x' } }, 'ValidationError pdf_margin.top: must be a length'],
    [{ pdf_margin: { up: 1 } }, 'ValidationError pdf_margin.up: is not a known field'],
    [
      { pdf_page_ranges: '5-2' },
      'ValidationError pdf_page_ranges: must not have a range that runs backwards, such as 5-2',
    ],
    [{ pdf_width: 300 }, 'ValidationError pdf_width: needs pdf_height'],
    [{ pdf_height: 300 }, 'ValidationError pdf_height: needs pdf_width'],
    [{ pdf_width: 300, pdf_height: 300, pdf_format: 'A4' }, "ValidationError pdf_format: can't be combined with"],
    [
      { pdf_single_page: true, pdf_height: 300, pdf_width: 300 },
      "ValidationError pdf_height: can't be combined with pdf_single_page",
    ],
    [
      { pdf_single_page: true, pdf_page_ranges: '1' },
      "ValidationError pdf_page_ranges: can't be combined with pdf_single_page",
    ],
    [{ pdf_outline: true, pdf_tagged: false }, 'ValidationError pdf_outline: needs pdf_tagged'],
    [
      { pdf_margin: '15cm' },
      'ValidationError pdf_margin: must leave room between left and right on paper of 595.3 x 841.9 pt',
    ],
    [
      { pdf_margin: { top: '15cm', bottom: '15cm' } },
      'ValidationError pdf_margin: must leave room between top and bottom',
    ],
    [
      { pdf_landscape: true, pdf_margin: { top: '11cm', bottom: '11cm' } },
      'ValidationError pdf_margin: must leave room between top and bottom',
    ],
    [
      { pdf_single_page: true, pdf_margin: '15cm' },
      'ValidationError pdf_margin: must leave room between left and right',
    ],
    [{ pdf_width: '14401pt', pdf_height: '1in' }, 'ResultTooLargeError The sheet would be 14401 x 72 pt'],
  ])('refuses %j before a page is opened', (fields, refusal) => {
    expect(refusalOf(fields)).toContain(refusal);
  });

  it.each([
    { pdf_single_page: true, pdf_width: '80mm' },
    { pdf_single_page: true, pdf_format: 'A5', pdf_margin: { top: '10cm', bottom: '20cm' } },
    { pdf_width: '14400pt', pdf_height: '1in' },
    { pdf_outline: true },
    { pdf_margin: { top: '20cm' } },
    { format: 'png', pdf_margin: '15cm' },
    { format: 'png', pdf_width: '14401pt', pdf_height: '1in' },
  ])('accepts %j', (fields) => {
    expect(refusalOf(fields)).toBeUndefined();
  });

  it.each([
    ['pdf_margin', '10mm', '10mm'],
    ['pdf_margin', '40', 40],
    ['pdf_margin', '{"top":"1cm","left":8}', { top: '1cm', left: 8 }],
    ['pdf_scale', '0.5', 0.5],
    ['pdf_page_ranges', '1', '1'],
    ['pdf_title', '42', '42'],
    ['pdf_tagged', '0', false],
  ])('parses %s of a query: %s', (field, text, value) => {
    const query = new Map([...Object.entries(BASE), [field, text]]);

    expect(parseOptions(readTextFields(query), LIMITS)).toEqual(parseOptions({ ...BASE, [field]: value }, LIMITS));
  });

  it.each(['{"top":', '[1]', 'true', 'null'])('refuses %s of a query as a margin', (text) => {
    const query = new Map([...Object.entries(BASE), ['pdf_margin', text]]);

    expect(refusal(() => parseOptions(readTextFields(query), LIMITS))).toContain('pdf_margin: must be a length');
  });
});

function refusalOf(fields: Readonly<Record<string, unknown>>): string | undefined {
  return refusal(() => parseOptions({ ...BASE, ...fields }, LIMITS));
}

function refusal(parse: () => unknown): string | undefined {
  try {
    parse();
    return undefined;
  } catch (error) {
    if (error instanceof ServiceError) return `${error.type} ${error.details}`;
    throw error;
  }
}
