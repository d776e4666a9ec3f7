import { z } from 'zod';
import type { JobStore } from '../job-store.ts';
import { LATE_WRITE_MS } from '../job-limits.ts';
import type { JobRedis } from './connect.ts';
import { KEYS } from './keys.ts';

const pendingFile = z.object({
  path: z.string(),
  jobId: z.string(),
  attempt: z.number(),
  recordedAt: z.number(),
});

type PendingFiles = Pick<JobStore, 'recordFile' | 'dueFiles' | 'forgetFile'> & {
  /** Makes checks due that lie too far ahead: the clock was set back. */
  readonly checkFilesNow: () => Promise<void>;
};

/** Keeps the files that attempts are about to write, each with the time of its next check. */
export function createPendingFiles(client: JobRedis, now: () => number): PendingFiles {
  const dueBetween = (min: string, max: string, limit: number): Promise<string[]> =>
    client.zRange(KEYS.fileChecks, min, max, { BY: 'SCORE', LIMIT: { offset: 0, count: limit } });

  return {
    recordFile: async (file, checkAfterMs) => {
      await client
        .multi()
        .hSet(KEYS.files, file.path, JSON.stringify(file))
        .zAdd(KEYS.fileChecks, { score: now() + checkAfterMs, value: file.path })
        .exec();
    },
    dueFiles: async (limit) => {
      const paths = await dueBetween('-inf', `${now()}`, limit);
      const texts = paths.length === 0 ? [] : await client.hmGet(KEYS.files, paths);
      return texts.flatMap((text) => (text === null ? [] : [pendingFile.parse(JSON.parse(text))]));
    },
    forgetFile: async (path) => {
      await client.multi().hDel(KEYS.files, path).zRem(KEYS.fileChecks, path).exec();
    },
    checkFilesNow: async () => {
      const late = await dueBetween(`(${now() + 2 * LATE_WRITE_MS}`, '+inf', 100);
      if (late.length === 0) return;
      const checks = late.map((value) => ({ score: now(), value }));
      await client.zAdd(KEYS.fileChecks, checks, { condition: 'XX' });
    },
  };
}
