import { describe, expect, it } from 'vitest';
import { FIELD_NAMES } from '../../../../src/core/capture/request/options.ts';
import { parseOptions } from '../../../../src/core/capture/request/parse-options.ts';
import { CaptureError } from '../../../../src/programs/client/capture-error.ts';
import { ERROR_CATALOGUE, ServiceError } from '../../../../src/core/ground/errors.ts';
import { findProblems } from '../../../../src/programs/playground/form/problems.ts';
import { parseServerTiming, sizeInWords, timeInWords } from '../../../../src/programs/playground/format-units.ts';

function problemsOf({ type, message, details }: ServiceError): Record<string, string> {
  return Object.fromEntries(findProblems(new CaptureError(message, { errorType: type, details }), FIELD_NAMES));
}

function refusalOf(input: unknown): ServiceError {
  try {
    parseOptions(input, { maxWaitMs: 60_000 });
  } catch (error) {
    if (error instanceof ServiceError) return error;
  }
  throw new Error('It was not refused');
}

describe('findProblems', () => {
  it.each([
    [{}, { url: 'Either url or html_content must be provided.' }],
    [
      { url: 'x', window_width: 0 },
      {
        url: 'Must be an absolute http: or https: address of at most 8192 characters.',
        window_width: 'Must be a whole number from 1 to 7680.',
      },
    ],
    [
      { url: 'https://a.example/', cookies: [{ value: 'a' }] },
      { cookies: 'No. 1: Must be text of 1 to 4096 characters.' },
    ],
    [{ html_content: 'a', cookies: [] }, { cookies: expect.stringMatching(/^Needs url, because/) }],
  ])('finds the fields in the error for %j', (input, expected) => {
    expect(problemsOf(refusalOf(input))).toEqual(expected);
  });

  it.each([
    ['ElementNotFoundError', 'selector'],
    ['DestinationNotAllowedError', 'url'],
    ['NavigationError', 'url'],
  ] as const)('shows %s next to %s', (type, field) => {
    expect(problemsOf(new ServiceError(type))).toEqual({ [field]: `${ERROR_CATALOGUE[type].message}.` });
  });

  it.each(['RateLimitError', 'OverloadedError', 'InternalServerError'] as const)(
    'shows %s next to no field',
    (type) => {
      expect(problemsOf(new ServiceError(type))).toEqual({});
    },
  );
});

describe('formatting', () => {
  it.each([
    [12, '12 B'],
    [1_234, '1.2 KB'],
    [123_456, '123 KB'],
    [12_345_678, '12 MB'],
  ])('formats a size of %i bytes', (bytes, words) => {
    expect(sizeInWords(bytes)).toBe(words);
  });

  it.each([
    [12.4, '12 ms'],
    [1_234, '1.23 s'],
    [12_345, '12.3 s'],
  ])('formats a time of %d ms', (ms, words) => {
    expect(timeInWords(ms)).toBe(words);
  });

  it('parses the header of an answer', () => {
    expect(parseServerTiming('queue;dur=0.0, navigate;dur=1.3, other')).toEqual([
      { name: 'queue', ms: 0 },
      { name: 'navigate', ms: 1.3 },
    ]);
  });
});
