import { validationError } from '../../errors.ts';
import { timeOfJobId } from '../job-id.ts';
import type { JobRecord } from '../job.ts';
import type { JobStore } from '../job-store.ts';
import type { Statements } from './prepare.ts';
import { rowName } from './rows.ts';

/**
 * Creates `JobStore.list`. The list of one owner has ids as cursors: sequence numbers would show a key how many jobs the other keys have
 * submitted.
 */
export function createJobList(
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
