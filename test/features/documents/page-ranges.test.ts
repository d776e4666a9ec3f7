import { describe, expect, it } from 'vitest';
import { leastPages, pageRanges } from '../../../src/features/documents/page-ranges.ts';

describe('pageRanges', () => {
  it('removes spaces', () => {
    expect(pageRanges.parse(' 1 - 3 , 5,8 - ')).toBe('1-3,5,8-');
  });
});

describe('leastPages', () => {
  it.each([
    ['1', 1],
    ['4', 1],
    ['2-', 1],
    ['1-3', 1],
    ['1-3,5', 4],
    ['1,4-', 2],
    ['5,1-3,2-9', 5],
    ['1-999999999,1-', 1],
    ['3,3,3', 1],
    ['1-2,2-3', 2],
  ])('counts for %s', (ranges, pages) => {
    expect(leastPages(ranges)).toBe(pages);
  });
});
