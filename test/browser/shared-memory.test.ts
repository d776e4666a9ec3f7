import { statfsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { launchFlags } from '../../src/browser/launch-flags.ts';
import { hasSharedMemory } from '../../src/browser/shared-memory.ts';

const FLAG = '--disable-dev-shm-usage'; // one of Puppeteer's own

describe('hasSharedMemory', () => {
  it('is true where /dev/shm has a gigabyte free', () => {
    const { bavail, bsize } = statfsSync('/dev/shm');

    expect(hasSharedMemory()).toBe(bavail * bsize >= 2 ** 30);
  });

  it.each([true, false])('%s: decides whether the browser uses it', (sharedMemory) => {
    const { ignoreDefaultArgs } = launchFlags({ sandbox: true, sharedMemory });

    expect(ignoreDefaultArgs.includes(FLAG)).toBe(sharedMemory);
  });
});
