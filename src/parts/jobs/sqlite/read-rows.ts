import type { StatementSync } from 'node:sqlite';
import type { JobRecord } from '../job.ts';
import { unreadableReason, type UnreadableRecord } from '../job-codec.ts';
import { readJob, rowName } from './rows.ts';
import { validationError } from '../../../core/ground/errors.ts';
import { timeOfJobId } from '../job-id.ts';
import type { JobStore } from '../job-store.ts';
import type { Statements } from './prepare.ts';

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
      if (setAside.run(seq).changes > 0) onUnreadable({ id, reason: unreadableReason(error) });
      return undefined;
    }
  };
  const readAll = (found: readonly unknown[]): readonly JobRecord[] => found.flatMap((row) => read(row) ?? []);
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

/**
 * Creates `JobStore.list`. The list of one owner has ids as cursors: sequence numbers would show a key how many jobs
 * the other keys have submitted.
 */
export function createJobRowList(
  sql: Pick<Statements, 'list' | 'listOwned'>,
  readAll: (found: readonly unknown[]) => readonly JobRecord[],
): JobStore['list'] {
  return async (state, { cursor, limit, owner }) => {
    const isOwned = owner !== undefined;
    if (cursor !== undefined && !(isOwned ? timeOfJobId(cursor) !== undefined : /^\d{1,15}$/.test(cursor)))
      throw validationError('cursor: must be a next_cursor of the same list');
    const found = isOwned
      ? sql.listOwned.all(owner, state, cursor ?? AFTER_ALL_IDS, limit + 1)
      : sql.list.all(state, Number(cursor ?? Number.MAX_SAFE_INTEGER), limit + 1);
    const page = found.slice(0, limit);
    const last = found.length > limit ? page.at(-1) : undefined;
    if (last === undefined) return { jobs: readAll(page), next: undefined };
    const { seq, id } = rowName.parse(last);
    return { jobs: readAll(page), next: isOwned ? id : String(seq) };
  };
}

/** Sorts after each id, which has hex digits and hyphens only. */
const AFTER_ALL_IDS = 'g';
