import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempDisposable, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isAbandoned, ownerTag } from '../../../src/core/processes/process-owner.ts';
import { eventually } from '../../support/eventually.ts';

const NO_PROCESS = 4_194_305; // above the largest process id of Linux
const NO_FILE = '/nowhere/at/all';
const LIFETIME_MS = 60_000;
const MACHINE = ownerTag().split('_')[0] ?? '';

const isAbandonedBy = (owner: string, path = NO_FILE): Promise<boolean> =>
  isAbandoned(path, `${owner}-aB3dE6`, LIFETIME_MS);

describe('the owner of a temporary folder', () => {
  it('is running if it is this process', async () => {
    expect(await isAbandoned(NO_FILE, `${ownerTag()}aB3dE6`, LIFETIME_MS)).toBe(process.platform !== 'linux');
  });

  it('is running if a process has its id, and its start time is unknown', async () => {
    expect(await isAbandonedBy(`${MACHINE}_${process.ppid}-`)).toBe(false);
  });

  it.each([
    ['a process id that is not in use', `${NO_PROCESS}-1`],
    ['a process id that is not in use, without a start time', `${NO_PROCESS}-`],
    ['the id of this process without a start time: an earlier run', `${process.pid}-`],
    ['the id of this process with another start time', `${process.pid}-1`],
  ])('has ended: %s', async (_case, owner) => {
    expect(await isAbandonedBy(`${MACHINE}_${owner}`)).toBe(true);
  });

  it.runIf(process.platform === 'linux')('has ended if a newer process has its id', async () => {
    expect(await isAbandonedBy(`${MACHINE}_${process.ppid}-1`)).toBe(true);
  });

  it.runIf(process.platform === 'linux')('has ended if nobody has fetched its exit code', async () => {
    const parent = spawn('sh', ['-c', 'sh -c "echo \\$\\$" & exec sleep 60'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const [id] = await once(parent.stdout.setEncoding('utf8'), 'data');
    try {
      await eventually(async () => expect(await isAbandonedBy(`${MACHINE}_${Number(id)}-`)).toBe(true));
      expect(() => process.kill(Number(id), 0)).not.toThrow(); // a zombie still has its id
    } finally {
      parent.kill('SIGKILL');
    }
  });

  it('is unknown on another machine: the folder counts as abandoned when it has not changed for a time', async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'owner-test-'));
    const elsewhere = `0123456789ab_${process.pid}-1`;

    expect(await isAbandonedBy(elsewhere, folder.path)).toBe(false);
    await utimes(folder.path, 1, 1);
    expect(await isAbandonedBy(elsewhere, folder.path)).toBe(true);
    expect(await isAbandonedBy(elsewhere)).toBe(false); // removed meanwhile
  });
});
