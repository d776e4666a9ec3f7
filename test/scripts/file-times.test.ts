import { describe, expect, it } from 'vitest';
import { describeSlowest, findOverBudget, readFileTimes } from '../../scripts/file-times.mjs';

/** Returns a report of a run of 200 files that take 2 s each, and of one that takes longer. */
function timesWith(slowSeconds: number, files = 200) {
  const names = Array.from({ length: files }, (_, index) => `/root/test/${index}.test.ts`);
  const testResults = names.map((name) => ({ name, startTime: 1_000, endTime: 3_000 }));
  testResults.push({ name: '/root/test/slow.test.ts', startTime: 0, endTime: slowSeconds * 1_000 });
  return readFileTimes({ testResults }, '/root');
}

describe('durations of test files', () => {
  it('are listed with the slowest file first', () => {
    expect(describeSlowest(timesWith(44)).split('\n').slice(0, 3)).toEqual([
      'Slowest files:',
      '   44.0 s  test/slow.test.ts',
      '    2.0 s  test/0.test.ts',
    ]);
  });

  it('fail a whole run in which one file takes more than a tenth of the time', () => {
    expect(findOverBudget(timesWith(100))).toMatch(/^test\/slow\.test\.ts took 20 % of the time/);
  });

  it.each([
    ['a tenth of the run time', timesWith(44)],
    ['a minute', timesWith(59)],
    ['the whole run time of a few files', timesWith(1_000, 3)],
  ])('allow a file %s', (_what, times) => {
    expect(findOverBudget(times)).toBeUndefined();
  });
});
