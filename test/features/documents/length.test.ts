import { describe, expect, it } from 'vitest';
import { toPixels } from '../../../src/features/documents/length.ts';

describe('toPixels', () => {
  it.each([
    ['25.4mm', 96],
    ['2.54cm', 96],
    ['1in', 96],
    ['72pt', 96],
    ['40px', 40],
    ['40', 40],
    [40, 40],
    [0.5, 0.5],
    ['.5IN', 48],
    [' 10px ', 10],
    [0, 0],
    ['0mm', 0],
    [1_000_000, 1_000_000],
    ['8.26771653543307in', 8.26771653543307 * 96], // 210 mm, as programs calculate it
    [0.1 + 0.2, 0.3],
    [37.79527559055118, 37.79527559055118],
  ])('parses %j', (written, pixels) => {
    expect(toPixels(written)).toBeCloseTo(pixels, 9);
  });

  it.each([
    -1,
    NaN,
    Infinity,
    1e21,
    1e-9,
    1_000_001,
    '',
    '-1mm',
    '1e3',
    '10em',
    '10%',
    '1 0px',
    'px',
    '0x10',
    '99999in',
    '1,5cm',
  ])('refuses %j', (written) => {
    expect(toPixels(written)).toBeUndefined();
  });
});
