import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { equalInConstantTime } from '../../../src/core/access/signature.ts';

describe('equalInConstantTime', () => {
  it('agrees with === for strings of any length, without throwing', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (left, right) => {
        expect(equalInConstantTime(left, right)).toBe(left === right);
        expect(equalInConstantTime(left, left)).toBe(true);
      }),
    );
  });
});
