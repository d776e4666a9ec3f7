import { describe, expect, it } from 'vitest';
import { regexCost } from '../../../../src/features/blocking/lists/regex-cost.ts';

describe('regexCost', () => {
  it.each<[string, number]>([
    ['^abc', 0],
    ['abc', 1],
    ['^a.*b', 1],
    ['a.*b.+c', 3],
    ['^[a*+]{32}$', 0],
    ['^[a-z]{5,12}\\.[\\]*]\\*$', 1],
    ['^(?:ab)+', 1],
    ['^(?:a|b)c*', 1],
    ['^(?:[0-9a-f]{2}\\/){32}', 0],
    ['^(?:a|b){3}', 3],
    ['^(?:[0-9a-z]+-){2,3}', 4],
    ['^(a+)+$', Infinity],
    ['^(?:a|ab)*$', Infinity],
    ['^(?:(?:a|b)c){20}', Infinity],
    ['(a)\\1', Infinity],
    ['(?<x>a)\\k<x>', Infinity],
    ['^a?b??', 0],
    ['^a{x}', 0],
    ['a?'.repeat(10), 1],
    ['a?'.repeat(11), Infinity],
    ['(?:a|ab?)'.repeat(6), Infinity],
    ['(?:a|b|c|d|e|f|g|h|i|j|k|l|m)', 1],
    ['(?:\\(?)'.repeat(11), Infinity],
    ['^(?:ab?)*$', Infinity],
  ])('of %s is %s', (source, cost) => {
    expect(regexCost(source)).toBe(cost);
  });
});
