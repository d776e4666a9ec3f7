import { describe, expect, it } from 'vitest';
import { readExposition } from './exposition.ts';

const HEAD = '# HELP a_total All of it.\n# TYPE a_total counter\n';

describe('readExposition', () => {
  it('parses samples with their labels', () => {
    expect(readExposition(`${HEAD}a_total{b="c",d="\\"e\\\\"} 1\na_total{b="x"} 2.5e3\n`)).toEqual([
      { name: 'a_total', labels: { b: 'c', d: '\\"e\\\\' }, value: 1 },
      { name: 'a_total', labels: { b: 'x' }, value: 2_500 },
    ]);
  });

  it.each([
    ['a last line without a line break', `${HEAD}a_total 1`],
    ['no TYPE', 'a_total 1\n'],
    ['an unknown type', '# HELP a_total b\n# TYPE a_total number\n'],
    ['the same series twice', `${HEAD}a_total{b="c"} 1\na_total{b="c"} 2\n`],
    ['a sample of another metric', `${HEAD}b_total 1\n`],
    ['a label without quotes', `${HEAD}a_total{b=c} 1\n`],
    ['a line break in a label', `${HEAD}a_total{b="c\nd"} 1\n`],
    ['an invalid value', `${HEAD}a_total one\n`],
    ['a negative counter', `${HEAD}a_total -1\n`],
    ['a counter without the suffix _total', '# HELP a b\n# TYPE a counter\na 1\n'],
    ['a type in the name', '# HELP a_gauge b\n# TYPE a_gauge gauge\na_gauge 1\n'],
    ['a gauge named as a counter', '# HELP a_total b\n# TYPE a_total gauge\na_total 1\n'],
    [
      'decreasing buckets',
      '# HELP a b\n# TYPE a histogram\na_bucket{le="1"} 2\na_bucket{le="+Inf"} 1\na_sum 1\na_count 1\n',
    ],
    ['no last bucket', '# HELP a b\n# TYPE a histogram\na_bucket{le="1"} 1\na_sum 1\na_count 1\n'],
  ])('refuses %s', (_what, text) => {
    expect(() => readExposition(text)).toThrow(Error);
  });
});
