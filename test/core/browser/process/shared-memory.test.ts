import { existsSync, rmSync, statfsSync, utimesSync, writeFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { launchFlags } from '../../../../src/core/browser/process/launch-flags.ts';
import { hasSharedMemory, sweepSharedMemory } from '../../../../src/core/browser/process/shared-memory.ts';

const FLAG = '--disable-dev-shm-usage'; // a default flag of Puppeteer

describe('hasSharedMemory', () => {
  it('is true if /dev/shm has a gigabyte free', () => {
    const { bavail, bsize } = statfsSync('/dev/shm');

    expect(hasSharedMemory()).toBe(bavail * bsize >= 2 ** 30);
  });

  it.each([true, false])('%s: decides whether the browser uses it', (sharedMemory) => {
    const { ignoreDefaultArgs } = launchFlags({ sandbox: true, sharedMemory });

    expect(ignoreDefaultArgs.includes(FLAG)).toBe(sharedMemory);
  });
});

describe('sweepSharedMemory', () => {
  const orphan = `/dev/shm/.org.chromium.orphan-${process.pid}`;
  const young = `/dev/shm/.org.chromium.young-${process.pid}`;
  const other = `/dev/shm/capture-service-other-${process.pid}`;
  const files = [orphan, young, other];
  afterEach(() => {
    for (const file of files) rmSync(file, { force: true });
  });

  it('removes only files of the browser that are older than a browser keeps them', async () => {
    for (const file of files) writeFileSync(file, '');
    const [longAgo, later] = [new Date(Date.now() - 60_000), new Date(Date.now() + 60_000)];
    utimesSync(young, later, later);
    for (const file of [orphan, other]) utimesSync(file, longAgo, longAgo);

    await sweepSharedMemory();

    expect(files.map((file) => existsSync(file))).toEqual([false, true, true]);
  });
});
