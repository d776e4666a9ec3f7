import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createTextSearch, replaceFound } from '../../../src/features/data/text-search.ts';

const masked = (text: string, values: readonly string[]): string =>
  replaceFound(text, createTextSearch(values)(text), '*');
const letters = (from: number, to: number) =>
  fc.array(fc.constantFrom('a', 'b'), { minLength: from, maxLength: to }).map((each) => each.join(''));

describe('the search for many values', () => {
  it.each([
    ['one value', 'x ab y', ['ab'], 'x * y'],
    ['a value at both ends', 'ab x ab', ['ab'], '* x *'],
    ['the longer of two values', 'abcd', ['ab', 'abcd'], '*'],
    ['a value inside of the beginning of another', 'abx', ['abcd', 'b'], 'a*x'],
    ['values that overlap', 'abcd', ['abc', 'bcd'], '*'],
    ['no value', 'text', ['ab'], 'text'],
    ['characters beyond ASCII', 'zé€z', ['é€'], 'z*z'],
  ])('finds %s', (_what, text, values, shown) => {
    expect(masked(text, values)).toBe(shown);
  });

  it('finds exactly the characters of all values', () => {
    fc.assert(
      fc.property(letters(0, 30), fc.array(letters(1, 6), { maxLength: 6 }), (text, values) => {
        const found = Array.from(text, () => false);
        for (const value of values)
          for (let at = text.indexOf(value); at !== -1; at = text.indexOf(value, at + 1))
            found.fill(true, at, at + value.length);
        const marked = Array.from(text, () => false);
        for (const { start, end } of createTextSearch(values)(text)) marked.fill(true, start, end);

        expect(marked).toEqual(found);
      }),
    );
  });

  it('takes a long value to its end', () => {
    const numbers = Array.from({ length: 1_000 }, (_each, index) => index).join('-');

    expect(masked(`x ${numbers} y`, [numbers])).toBe('x * y');
  });

  it('takes all of a long value that repeats itself, and perhaps some characters after it', () => {
    expect(masked(`x ${'st'.repeat(1_500)} y`, ['st'.repeat(1_500)])).toMatch(/^x \*/);
  });
});
