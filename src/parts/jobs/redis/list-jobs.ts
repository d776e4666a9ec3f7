import { validationError } from '../../../core/ground/errors.ts';
import { timeOfJobId } from '../job-id.ts';
import type { JobRecord, JobState } from '../job.ts';
import type { JobPage, JobStore } from '../job-store.ts';
import { KEYS, ownedKey } from './redis-keys.ts';
import type { RedisParts } from './redis-parts.ts';

/** Places of the jobs of a state in BullMQ, in list order. */
const PLACES = {
  running: ['active'],
  queued: ['wait', 'delayed'],
  failed: ['failed'],
  done: ['completed'],
  cancelled: ['cancelled'],
} as const satisfies Record<JobState, readonly string[]>;
type Place = (typeof PLACES)[JobState][number];

/** Cursor of a list: the job after which the next page starts. */
interface Position {
  readonly place: Place;
  readonly index: number;
  readonly id: string;
}

/** Creates the function that lists jobs of one state, newest first. */
export function createJobList(parts: RedisParts): JobStore['list'] {
  const [listAll, listOwned] = [createFullList(parts), createOwnedList(parts)];
  return async (state, { owner, ...page }) =>
    owner === undefined ? await listAll(state, page) : await listOwned(owner, state, page);
}

/** Lists the jobs of all owners where BullMQ keeps them. */
function createFullList({ client, queues, side, reader }: RedisParts): JobStore['list'] {
  const { queue } = queues.work;
  const idsAt = (place: Place, from: number, count: number): Promise<string[]> =>
    place === 'cancelled' ? side.listCancelled(from, count) : queue.getRanges([place], from, from + count - 1, false);

  /**
   * Jobs that were added meanwhile shift the positions. If the job itself was deleted, the next job has its position.
   */
  const placeAfter = async ({ place, index, id }: Position): Promise<number> => {
    const now =
      place === 'wait' || place === 'active'
        ? await client.lPos(queue.toKey(place), id)
        : await client.zRevRank(place === 'cancelled' ? KEYS.cancelledAt : queue.toKey(place), id);
    return now === null ? index : now + 1;
  };

  return async (state, { cursor, limit }) => {
    const places: readonly Place[] = PLACES[state];
    const start = cursor === undefined ? undefined : parseCursor(cursor, places);
    const found: Position[] = [];
    for (const place of places.slice(start === undefined ? 0 : places.indexOf(start.place))) {
      const from = place === start?.place ? await placeAfter(start) : 0;
      const ids = await idsAt(place, from, limit + 1 - found.length);
      found.push(...ids.map((id, at) => ({ place, index: from + at, id })));
      if (found.length > limit) break;
    }
    const page = found.slice(0, limit);
    const last = page.at(-1);
    const jobs = await reader.readAll(page.map(({ id }) => id));
    return {
      jobs: jobs.filter((job) => job.state === state),
      next: found.length > limit && last !== undefined ? cursorOf(last) : undefined,
    };
  };
}

/** Lists the jobs of one owner. Its sets contain all jobs of the state, and sometimes jobs that have left the state. */
function createOwnedList({ client, queues, reader }: RedisParts) {
  const { queue } = queues.work;
  /** Returns the newest ids that are older than the given one. */
  const idsBelow = async (
    owner: string,
    state: JobState,
    before: string | undefined,
    count: number,
  ): Promise<readonly string[]> => {
    if (state !== 'running') {
      const from = before === undefined ? '+' : `(${before}`;
      const range = { BY: 'LEX', REV: true, LIMIT: { offset: 0, count } } as const;
      return await client.zRange(ownedKey(owner, state), from, '-', range);
    }
    // BullMQ chooses which jobs run, so our sets do not contain running jobs. Their number is limited by the
    // concurrency of all instances.
    const active = await queue.getRanges(['active'], 0, -1);
    const below = active.filter((id) => before === undefined || id < before);
    return below.toSorted().toReversed().slice(0, count);
  };

  return async (
    owner: string,
    state: JobState,
    { cursor, limit }: { readonly cursor?: string; readonly limit: number },
  ): Promise<JobPage> => {
    if (cursor !== undefined && timeOfJobId(cursor) === undefined) throw badCursor();
    const found: JobRecord[] = [];
    for (let before = cursor; found.length <= limit;) {
      const ids = await idsBelow(owner, state, before, limit + 1);
      const jobs = await reader.readAll(ids);
      found.push(...jobs.filter((job) => job.state === state && job.owner === owner));
      if (ids.length <= limit) break;
      before = ids.at(-1);
    }
    const page = found.slice(0, limit);
    return { jobs: page, next: found.length > limit ? page.at(-1)?.id : undefined };
  };
}

function cursorOf({ place, index, id }: Position): string {
  return `${place}:${index}:${id}`;
}

function parseCursor(cursor: string, places: readonly Place[]): Position {
  const [name, index = '', id = ''] = cursor.split(':');
  const place = places.find((each) => each === name);
  if (place === undefined || !/^\d{1,9}$/.test(index) || timeOfJobId(id) === undefined) throw badCursor();
  return { place, index: Number(index), id };
}

function badCursor(): Error {
  return validationError('cursor: must be a next_cursor of the same list');
}
