import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createStringShortener } from '../../../src/browser/pipe/string-shortener.ts';

const LONGEST = 24;

describe('the shortener of strings', () => {
  it('leaves JSON as it is whose strings are short', () => {
    const text = '{"a":["é",1,true,null,{"b\\"c":"\\u00e9\\\\"}]}';

    expect(shorten(text, 3)).toBe(text);
  });

  it('cuts what is too long, keys as well, and keeps the rest', () => {
    const long = 'x'.repeat(1_000);

    expect(JSON.parse(shorten(JSON.stringify({ a: long, [long]: 1, b: 'end' }), 7))).toEqual({
      a: 'x'.repeat(LONGEST),
      ['x'.repeat(LONGEST)]: 1,
      b: 'end',
    });
  });

  it('gives JSON of the same shape, whatever is in the strings and wherever it is split', () => {
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
