import { describe, expect, it } from 'vitest';
import { hasOwnerEnded, ownerTag } from '../../src/processes/process-owner.ts';

const NO_PROCESS = 4_194_305; // above the largest process id of Linux
const RANDOM = 'aB3dE6';

describe('the owner of a temporary folder', () => {
  it('is running if it is this process', () => {
    expect(hasOwnerEnded(`${ownerTag()}${RANDOM}`)).toBe(process.platform !== 'linux');
  });

  it('is running if another process has its id and its start time', () => {
    expect(hasOwnerEnded(`${process.ppid}-${RANDOM}`)).toBe(false);
  });

  it.each([
    ['a process id that is not in use', `${NO_PROCESS}-1-${RANDOM}`],
    ['a process id that is not in use, without a start time', `${NO_PROCESS}-${RANDOM}`],
    ['the id of this process without a start time: an earlier run', `${process.pid}-${RANDOM}`],
    ['the id of this process with another start time', `${process.pid}-1-${RANDOM}`],
    ['no process id', RANDOM],
  ])('has ended: %s', (_case, name) => {
    expect(hasOwnerEnded(name)).toBe(true);
  });

  it.runIf(process.platform === 'linux')('has ended if a newer process has its id', () => {
    expect(hasOwnerEnded(`${process.ppid}-1-${RANDOM}`)).toBe(true);
  });
});
