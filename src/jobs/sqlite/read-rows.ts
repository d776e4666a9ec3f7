import type { StatementSync } from 'node:sqlite';
import type { JobRecord } from '../job.ts';
import { reasonOf, type UnreadableRecord } from '../job-codec.ts';
import { readJob, rowName } from './rows.ts';

interface ReaderOptions {
  readonly setAside: StatementSync;
  /** Called once for each record until the database is opened again. */
  readonly onUnreadable: (record: UnreadableRecord) => void;
}

/** Reads rows of jobs. A row that cannot be read is set aside, so that it does not block other rows. */
export function createRowReader({ setAside, onUnreadable }: ReaderOptions) {
  /** Undefined for a row that cannot be read. */
  const read = (row: unknown): JobRecord | undefined => {
    try {
      return readJob(row);
    } catch (error) {
      const { seq, id } = rowName.parse(row);
      if (setAside.run(seq).changes > 0) onUnreadable({ id, reason: reasonOf(error) });
      return undefined;
    }
  };
  const readAll = (found: readonly unknown[]): readonly JobRecord[] =>
    found.flatMap((row) => read(row) ?? []);
  /** Repeats the query while it returns only unreadable rows. Each of them is excluded from the next query. */
  const readSome = (find: () => readonly unknown[]): readonly JobRecord[] => {
    for (;;) {
      const found = find();
      const records = readAll(found);
      if (records.length > 0 || found.length === 0) return records;
    }
  };
  return { read, readAll, readSome };
}
