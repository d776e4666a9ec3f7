import { z } from 'zod';
import { parseJson } from '../../../core/ground/parse-json.ts';
import { unreadableReason, type UnreadableRecord } from '../job-codec.ts';
import type { JobStore, PendingFile } from '../job-store.ts';
import { LATE_WRITE_MS } from '../job-limits.ts';
import type { JobRedis } from './connect.ts';
import { KEYS } from './redis-keys.ts';
import { forgetRecord } from './side-records.ts';

const pendingFile = z
  .string()
  .transform(parseJson)
  .pipe(z.object({ path: z.string(), jobId: z.string(), attempt: z.number(), recordedAt: z.number() }));

const MAX_REPORTED = 10_000;

interface PendingFilesOptions {
  readonly client: JobRedis;
  readonly now: () => number;
  /** Called at most once for each record in each process. */
  readonly onUnreadable: (record: UnreadableRecord) => void;
}

type PendingFiles = Pick<JobStore, 'recordFile' | 'dueFiles' | 'forgetFile'> & {
  /** Makes checks due whose time is too far in the future, because the clock was set back. */
  readonly checkFilesNow: () => Promise<void>;
};

/** Keeps the files that attempts are about to write, each with the time of its next check. */
export function createPendingFiles({ client, now, onUnreadable }: PendingFilesOptions): PendingFiles {
  const reported = new Set<string>();
  /** Undefined for a record that cannot be read. Each is reported once. */
  const read = (path: string, text: string | null | undefined): PendingFile | undefined => {
    if (text == null) return undefined; // another process has just removed the record
    const file = pendingFile.safeParse(text);
    if (file.success) return file.data;
    if (!reported.has(path) && reported.size < MAX_REPORTED) {
      reported.add(path);
      onUnreadable({ id: `file ${path}`, reason: unreadableReason(file.error) });
    }
    return undefined;
  };
  const dueBetween = (min: string, max: string, limit: number, offset = 0): Promise<string[]> =>
    client.zRange(KEYS.fileChecks, min, max, { BY: 'SCORE', LIMIT: { offset, count: limit } });

  return {
    recordFile: async (file, checkAfterMs) => {
      await client
        .multi()
        .hSet(KEYS.files, file.path, JSON.stringify(file))
        .zAdd(KEYS.fileChecks, { score: now() + checkAfterMs, value: file.path })
        .exec();
    },
    dueFiles: async (limit) => {
      // Reads pages until one has a readable record, so that a page of unreadable records does not block the others.
      for (let from = 0; ; from += limit) {
        const paths = await dueBetween('-inf', `${now()}`, limit, from);
        if (paths.length === 0) return [];
        const texts = await client.hmGet(KEYS.files, paths);
        const files = paths.flatMap((path, index) => read(path, texts[index]) ?? []);
        if (files.length > 0) return files;
      }
    },
    forgetFile: async (path) => {
      await forgetRecord(client, [KEYS.files, KEYS.fileChecks], path);
    },
    checkFilesNow: async () => {
      const late = await dueBetween(`(${now() + 2 * LATE_WRITE_MS}`, '+inf', 100);
      if (late.length === 0) return;
      const checks = late.map((value) => ({ score: now(), value }));
      await client.zAdd(KEYS.fileChecks, checks, { condition: 'XX' });
    },
  };
}
