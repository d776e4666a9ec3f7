import { describe, expect, it } from 'vitest';
import { compareTexts } from '../../../src/parts/compare/compare-texts.ts';

const lines = (count: number, word: string): string =>
  Array.from({ length: count }, (_each, index) => `${word} ${index}`).join('\n');

describe('the comparison of two texts', () => {
  it.each([
    ['no-break spaces', 'Terms of\u00A0service', 'Terms of service'],
    ['the ends of lines', 'one\r\ntwo\r\n', 'one\ntwo\n'],
    ['a last line without an end', 'one\ntwo', 'one\ntwo\n'],
  ])('takes %s for equal', (_what, before, after) => {
    expect(compareTexts(before, after)).toEqual({ value: { changes: [], ratio: 0, isTruncated: false } });
  });

  it('lists changed, added and removed lines at their places in the later text', () => {
    expect(compareTexts('a\nb\nc\nd', 'a\nB\nc\nd\ne')).toMatchObject({
      value: {
        changes: [
          { kind: 'changed', line: 2, before: 'b', after: 'B' },
          { kind: 'added', line: 5, after: 'e' },
        ],
      },
    });
    expect(compareTexts('a\nb\nc', 'a\nc')).toMatchObject({
      value: { changes: [{ kind: 'removed', line: 2, before: 'b' }] },
    });
  });

  it('lists the first lines of texts that have nearly nothing in common', () => {
    const compared = compareTexts(lines(4_000, 'old'), lines(6_000, 'new'));

    expect(compared).toMatchObject({ value: { ratio: 0.6, isTruncated: true } });
    expect('value' in compared && compared.value.changes).toHaveLength(1_000);
    expect('value' in compared && compared.value.changes[999]).toEqual({
      kind: 'changed',
      line: 1_000,
      before: 'old 999',
      after: 'new 999',
    });
  });
});
