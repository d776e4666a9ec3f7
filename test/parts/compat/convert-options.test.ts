import { describe, expect, it } from 'vitest';
import { convertOptions } from '../../../src/parts/compat/convert-options.ts';
import { COMPAT } from '../../../src/parts/compat/index.ts';

const { options: gotenberg } = COMPAT.gotenberg;
const { options: screenshotone } = COMPAT.screenshotone;
const { options: browserless } = COMPAT.browserless;
const SPACES = ' '.repeat(400_000);

describe('convertOptions', () => {
  it.each([
    ['marginTop', gotenberg, `1${SPACES}x`],
    ['waitDelay', gotenberg, '1'.repeat(400_000)],
    ['headers', screenshotone, `a${SPACES}\nb`],
    ['cookies', screenshotone, ';'.repeat(400_000)],
    ['rejectRequestPattern', browserless, `${'.*'.repeat(200_000)}(`],
    ['waitForSelector', browserless, '['.repeat(400_000)],
  ])('refuses a long hostile text for %s without searching it again and again', (name, options, value) => {
    expect(() => convertOptions(new Map([[name, [value]]]), options)).toThrow(
      expect.objectContaining({ details: expect.stringContaining(`${name}: must`) }),
    );
  });

  it('takes a header whose value has many spaces', () => {
    const { custom_headers: headers } = convertOptions(new Map([['headers', [`a:${SPACES}b\nc`]]]), screenshotone);

    expect(headers).toEqual({ a: 'b\nc' });
  });

  it.each([
    ['cookies', gotenberg],
    ['headers', screenshotone],
  ])('limits the length of %s before converting it', (name, options) => {
    const given = new Map([[name, Array(6).fill('a'.repeat(100_000))]]);

    expect(() => convertOptions(given, options)).toThrow(
      expect.objectContaining({ details: `${name}: may have at most 500000 characters` }),
    );
  });

  it('passes on long markup', () => {
    const html = 'a'.repeat(600_000);

    expect(convertOptions(new Map([['html', [html]]]), screenshotone)).toEqual({ html_content: html });
  });

  it('names metadata without a usable name in at most 50 characters', () => {
    const given = new Map([['metadata', [JSON.stringify({ ['x'.repeat(1_000)]: '1' })]]]);

    expect(() => convertOptions(given, gotenberg)).toThrow(
      expect.objectContaining({ details: expect.stringMatching(/^metadata: x{50} is no name of an entry/) }),
    );
  });
});
