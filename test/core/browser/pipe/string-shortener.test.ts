import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createStringShortener } from '../../../../src/core/browser/pipe/string-shortener.ts';

const LONGEST = 24;

describe('the string shortener', () => {
  it('leaves JSON with short strings unchanged', () => {
    const text = '{"a":["é",1,true,null,{"b\\"c":"\\u00e9\\\\"}]}';

    expect(shorten(text, 3)).toBe(text);
  });

  it('truncates long strings and keys, and keeps the rest', () => {
    const long = 'x'.repeat(1_000);

    expect(JSON.parse(shorten(JSON.stringify({ a: long, [long]: 1, b: 'end' }), 7))).toEqual({
      a: 'x'.repeat(LONGEST),
      ['x'.repeat(LONGEST)]: 1,
      b: 'end',
    });
  });

  it('returns JSON of the same shape, whatever the strings contain and wherever it is split', () => {
    const anyValue = fc.jsonValue({ maxDepth: 3 });
    fc.assert(
      fc.property(
        anyValue,
        fc.string({ unit: 'binary', minLength: 20 }),
        fc.integer({ min: 1, max: 50 }),
        (value, text, size) => {
          const written = JSON.stringify({ value, text });

          const parsed: { value: unknown; text: string } = JSON.parse(shorten(written, size));

          expect(Object.keys(parsed)).toEqual(['value', 'text']);
          expect(text.startsWith(parsed.text)).toBe(true);
          expect(Buffer.byteLength(parsed.text)).toBeLessThanOrEqual(LONGEST + 6);
        },
      ),
    );
  });
});

function shorten(text: string, pieceSize: number): string {
  const bytes = Buffer.from(text);
  const { add } = createStringShortener(LONGEST);
  const kept: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += pieceSize) kept.push(...add(bytes.subarray(at, at + pieceSize)));
  return Buffer.concat(kept).toString();
}
