import type { Leases } from '../job-store.ts';
import type { createHeldJobs } from './bullmq/held-jobs.ts';
import type { openQueues } from './bullmq/queues.ts';
import type { JobRedis } from './connect.ts';
import type { OwnedJobs } from './owned-jobs.ts';
import type { QueueRoom } from './queue-room.ts';
import type { RedisMemory } from './redis-memory.ts';
import type { JobReader } from './read-jobs.ts';
import type { SideRecords } from './side-records.ts';

/** Dependencies that all calls of the store share. */
export interface RedisParts {
  readonly client: JobRedis;
  readonly queues: Awaited<ReturnType<typeof openQueues>>;
  readonly side: SideRecords;
  readonly room: QueueRoom;
  readonly memory: RedisMemory;
  readonly owned: OwnedJobs;
  readonly held: ReturnType<typeof createHeldJobs>;
  readonly reader: JobReader;
  readonly leases: Leases;
  readonly onError: (error: Error) => void;
  /** Call it when a job or a webhook may be ready to claim. */
  readonly notify: () => void;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** The earlier one of two clocks: of this process and of Redis. */
  readonly earlierNow: () => Promise<number>;
}
