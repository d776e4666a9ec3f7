import type { JobStore } from '../job-store.ts';
import { LATE_WRITE_MS } from '../job-limits.ts';
import type { Statements } from './prepare.ts';
import { fileRow } from './rows.ts';

type PendingFiles = Pick<JobStore, 'recordFile' | 'dueFiles' | 'forgetFile'> & {
  /** Makes checks due that lie too far ahead: the clock of an earlier start was ahead. */
  readonly checkFilesNow: () => void;
};

/** Keeps the files that attempts are about to write, each with the time of its next check. */
export function createPendingFiles(sql: Statements, now: () => number): PendingFiles {
  return {
    recordFile: async ({ path, jobId, attempt, recordedAt }, checkAfterMs) => {
      sql.recordFile.run(path, jobId, attempt, recordedAt, now() + checkAfterMs);
    },
    dueFiles: async (limit) => sql.dueFiles.all(now(), limit).map((row) => fileRow.parse(row)),
    forgetFile: async (path) => {
      sql.forgetFile.run(path);
    },
    checkFilesNow: () => {
      sql.checkFilesNow.run(now(), now() + 2 * LATE_WRITE_MS);
    },
  };
}
