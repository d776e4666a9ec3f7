import { describe, expect, it } from 'vitest';
import { documentFields } from '../../../src/features/documents/document-fields.ts';
import { PAPER_SIZES } from '../../../src/features/documents/paper-sizes.ts';

describe('PAPER_SIZES', () => {
  it.each(['A0', 'A1', 'A2', 'A3', 'A4', 'A5', 'A6'] as const)(
    'has %s with the aspect ratio of all A sizes',
    (name) => {
      const [width, height] = PAPER_SIZES[name];

      expect(height / width).toBeCloseTo(Math.SQRT2, 1);
    },
  );

  it('has Ledger as landscape Tabloid', () => {
    expect([...PAPER_SIZES.Ledger].toReversed()).toEqual([...PAPER_SIZES.Tabloid]);
  });

  it.each(Object.keys(PAPER_SIZES))('is case-insensitive: %s', (name) => {
    for (const text of [name, name.toLowerCase(), name.toUpperCase()]) {
      expect(documentFields.parse({ pdf_format: text }).pdf_format).toBe(name);
    }
  });
});
