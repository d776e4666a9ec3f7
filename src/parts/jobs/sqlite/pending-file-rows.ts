import type { JobStore, PendingFile } from '../job-store.ts';
import { unreadableReason, type UnreadableRecord } from '../job-codec.ts';
import { LATE_WRITE_MS } from '../job-limits.ts';
import type { Statements } from './prepare.ts';
import { fileName, fileRow } from './rows.ts';

interface PendingFilesOptions {
  readonly sql: Statements;
  readonly now: () => number;
  /** Called once for each row until the database is opened again. */
  readonly onUnreadable: (record: UnreadableRecord) => void;
}

type PendingFiles = Pick<JobStore, 'recordFile' | 'dueFiles' | 'forgetFile'> & {
  /** Corrects checks whose time is too far in the future, because the clock of an earlier start was ahead. */
  readonly checkFilesNow: () => void;
};

/** Stores the files that attempts are about to write, each with the time of its next check. */
export function createPendingFileRows({ sql, now, onUnreadable }: PendingFilesOptions): PendingFiles {
  /** Undefined for a row that cannot be read. Such a row is set aside, so that it does not block other rows. */
  const read = (row: unknown): PendingFile | undefined => {
    const file = fileRow.safeParse(row);
    if (file.success) return file.data;
    const { path, hex } = fileName.parse(row);
    sql.setAsideFile.run(hex);
    onUnreadable({ id: `file ${path}`, reason: unreadableReason(file.error) });
    return undefined;
  };

  return {
    recordFile: async ({ path, jobId, attempt, recordedAt }, checkAfterMs) => {
      sql.recordFile.run(path, jobId, attempt, recordedAt, now() + checkAfterMs);
    },
    dueFiles: async (limit) => {
      for (;;) {
        const rows = sql.dueFiles.all(now(), limit);
        const files = rows.flatMap((row) => read(row) ?? []);
        if (files.length > 0 || rows.length === 0) return files;
      }
    },
    forgetFile: async (path) => void sql.forgetFile.run(path),
    checkFilesNow: () => void sql.checkFilesNow.run(now(), now() + 2 * LATE_WRITE_MS),
  };
}
