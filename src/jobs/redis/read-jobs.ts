import type { Job, Queue } from 'bullmq';
import { validationError } from '../../errors.ts';
import { timeOfJobId } from '../job-id.ts';
import type { JobRecord, JobState } from '../job.ts';
import type { JobPage } from '../job-store.ts';
import type { JobRedis } from './connect.ts';
import { KEYS } from './keys.ts';
import { toRecord } from './records.ts';
import type { SideRecords } from './side-records.ts';

/** Where BullMQ keeps the jobs of a state, in the order of a list. */
const PLACES = {
  running: ['active'],
  queued: ['wait', 'delayed'],
  failed: ['failed'],
  done: ['completed'],
  cancelled: ['cancelled'],
} as const satisfies Record<JobState, readonly string[]>;
type Place = (typeof PLACES)[JobState][number];

/** A list goes on after this job, which stood there. */
interface Position {
  readonly place: Place;
  readonly index: number;
  readonly id: string;
}

interface ReaderOptions {
  readonly client: JobRedis;
  readonly queue: Queue;
  readonly side: SideRecords;
}

/** A job of BullMQ, and what it is to us; cancelled ones may be in BullMQ for a while. */
interface FoundJob {
  readonly job: Job | undefined;
  readonly record: JobRecord;
}

export type JobReader = ReturnType<typeof createJobReader>;

/** Looks at jobs while others change them. */
export function createJobReader({ client, queue, side }: ReaderOptions) {
  /** One after the other: what was read is never older than the state, and who is not in BullMQ any more was cancelled by then. */
  const find = async (id: string): Promise<FoundJob | undefined> => {
    const state = await queue.getJobState(id);
    const job: Job | undefined = await queue.getJob(id);
    const cancelled = await side.getCancelled(id);
    if (cancelled !== undefined) return { job, record: cancelled };
    return job && { job, record: toRecord(job, stateOf(job, state)) };
  };
  const readAll = async (ids: readonly string[]): Promise<readonly JobRecord[]> => {
    const found = await Promise.all(ids.map(find));
    return found.flatMap((each) => (each === undefined ? [] : [each.record]));
  };

  const idsAt = (place: Place, from: number, count: number): Promise<string[]> =>
    place === 'cancelled'
      ? side.listCancelled(from, count)
      : queue.getRanges([place], from, from + count - 1, false);

  /** What was added meanwhile has moved all that came before it. Of one that is no longer there, the next has its place. */
  const placeAfter = async ({ place, index, id }: Position): Promise<number> => {
    const now =
      place === 'wait' || place === 'active'
        ? await client.lPos(queue.toKey(place), id)
        : await client.zRevRank(place === 'cancelled' ? KEYS.cancelledAt : queue.toKey(place), id);
    return now === null ? index : now + 1;
  };

  const list = async (
    state: JobState,
    { cursor, limit }: { readonly cursor?: string; readonly limit: number },
  ): Promise<JobPage> => {
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
    const jobs = await readAll(page.map(({ id }) => id));
    return {
      jobs: jobs.filter((job) => job.state === state),
      next: found.length > limit && last !== undefined ? cursorOf(last) : undefined,
    };
  };

  return {
    find,
    read: async (id: string): Promise<JobRecord | undefined> => (await find(id))?.record,
    readAll,
    list,
  };
}

/** What a job tells of its end counts more than where it stood when it was looked for. */
function stateOf({ finishedOn, failedReason }: Job, state: string): JobState {
  if (finishedOn !== undefined) return failedReason === undefined ? 'done' : 'failed';
  return state === 'active' ? 'running' : 'queued';
}

function cursorOf({ place, index, id }: Position): string {
  return `${place}:${index}:${id}`;
}

function parseCursor(cursor: string, places: readonly Place[]): Position {
  const [name, index = '', id = ''] = cursor.split(':');
  const place = places.find((each) => each === name);
  if (place === undefined || !/^\d{1,9}$/.test(index) || timeOfJobId(id) === undefined)
    throw validationError('cursor: is not known');
  return { place, index: Number(index), id };
}
