import { describe, expect, it } from 'vitest';
import { durationInWords, formatInWords } from '../../../src/programs/playground/format-units.ts';

describe('durationInWords', () => {
  it.each([
    [-5, '0 ms'],
    [320, '320 ms'],
    [12_340, '12.3 s'],
    [60_000, '1 min'],
    [125_400, '2 min 5 s'],
    [3_600_000, '1 h'],
    [3_605_000, '1 h'],
    [11_400_000, '3 h 10 min'],
    [180_000_000, '2 d 2 h'],
  ])('formats %i ms as %s', (ms, words) => {
    expect(durationInWords(ms)).toBe(words);
  });
});

describe('formatInWords', () => {
  it.each([
    ['image/png', 'PNG'],
    ['text/markdown; charset=utf-8', 'MARKDOWN'],
    ['multipart/related', 'MHTML'],
    ['application/json', 'JSON'],
  ])('formats %s as %s', (type, words) => {
    expect(formatInWords(type)).toBe(words);
  });
});
