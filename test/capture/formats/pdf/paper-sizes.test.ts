import { describe, expect, it } from 'vitest';
import { documentFields } from '../../../../src/capture/formats/pdf/document-fields.ts';
import { PAPER_SIZES } from '../../../../src/capture/formats/pdf/paper-sizes.ts';

describe('PAPER_SIZES', () => {
  it.each(['A0', 'A1', 'A2', 'A3', 'A4', 'A5', 'A6'] as const)(
    'has %s in the shape of all A papers',
    (name) => {
      const [width, height] = PAPER_SIZES[name];

      expect(height / width).toBeCloseTo(Math.SQRT2, 1);
    },
  );

  it('has Ledger as Tabloid turned', () => {
    expect([...PAPER_SIZES.Ledger].toReversed()).toEqual([...PAPER_SIZES.Tabloid]);
  });

  it.each(Object.keys(PAPER_SIZES))('is asked for in any case: %s', (name) => {
    for (const text of [name, name.toLowerCase(), name.toUpperCase()]) {
      expect(documentFields.parse({ pdf_format: text }).pdf_format).toBe(name);
    }
  });
});
