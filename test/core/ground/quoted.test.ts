import { describe, expect, it } from 'vitest';
import { onOneLine, quoted } from '../../../src/core/ground/quoted.ts';

/** Texts that try to start a new line, end the quotes, or reverse the text direction. */
const FORGERIES = [
  'a\nWarning: none',
  'a\r\nWarning: none',
  'a\u2028Warning: none',
  'a\u2029Warning: none',
  'a\u0085Warning: none',
  'a\u000bWarning: none',
  'a\u202eenon',
  'a\u2066b\u2069',
  'a\u200bb',
  'a\u{e0041}b',
  'a\u001b[2Jb',
];

describe('quoted text', () => {
  it.each(FORGERIES)('%j: is one line without invisible characters', (text) => {
    expect(quoted(text, 100)).toMatch(/^"[\u0020-\u007e]*"$/);
    expect(onOneLine(text)).toMatch(/^[\u0020-\u007e]*$/);
  });

  it('escapes quotes, so the end of the text is unambiguous', () => {
    expect(quoted('a" said the service: "b', 100)).toBe(String.raw`"a\" said the service: \"b"`);
  });

  it('truncates to the maximum length without splitting a surrogate pair', () => {
    expect(quoted('x'.repeat(200), 10)).toBe(`"${'x'.repeat(10)}"`);
    expect(quoted('x🍺', 2)).toBe('"x\ufffd"');
  });

  it('keeps other languages and joined emoji unchanged', () => {
    expect(quoted('Größe 大 👩‍🌾 می‌خواهم', 100)).toBe('"Größe 大 👩‍🌾 می‌خواهم"');
  });
});
