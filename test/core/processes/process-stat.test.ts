import { describe, expect, it } from 'vitest';
import { isRunning, readStat } from '../../../src/core/processes/process-stat.ts';

describe('the state of a process', () => {
  // A missing process counted as 0, which means idle: a busy browser was killed after two misses instead of three.
  it('is undefined for a process that does not exist', () => {
    const never = 2 ** 22 + 1; // larger than any process id of Linux

    expect(readStat(never)).toBeUndefined();
    expect(isRunning(never)).toBe(false);
    expect(readStat(process.pid)?.cpuMs).toBeGreaterThan(0);
  });
});
