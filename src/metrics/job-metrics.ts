import { Counter, Gauge, type Registry } from '@prometheus-io/client';
import type { JobCounts } from '../jobs/job-store.ts';
import type { AttemptEnd } from '../jobs/run-job.ts';
import { PREFIX } from './prefix.ts';

const countNone = async (): Promise<JobCounts> => ({ queued: 0, running: 0, webhooks: 0 });

export interface JobMetrics {
  /** An attempt at a job, by how it ended. */
  readonly recordJob: (end: AttemptEnd) => void;
  /** Has jobs counted whenever the metrics are read. */
  readonly countJobs: (count: () => Promise<JobCounts>) => void;
}

/** Adds what is counted of jobs. Those in a Redis are those of all its instances. */
export function addJobMetrics(registry: Registry): JobMetrics {
  const registers = [registry];
  let count: () => Promise<JobCounts> = countNone;
  let counting: Promise<JobCounts | undefined> | undefined;

  /** Once for all that are read together; undefined while the store is away. */
  const countOnce = (): Promise<JobCounts | undefined> => {
    counting ??= count()
      .catch(() => undefined)
      .finally(() => {
        counting = undefined;
      });
    return counting;
  };
  const gauge = (name: string, help: string, read: (counts: JobCounts) => number): void => {
    const made: Gauge = new Gauge({
      name: `${PREFIX}${name}`,
      help,
      registers,
      collect: async () => {
        const counts = await countOnce();
        made.set(counts === undefined ? Number.NaN : read(counts));
      },
    });
  };
  gauge(
    'jobs_waiting',
    'Jobs that wait, for another attempt too; in a shared store those of all instances',
    (counts) => counts.queued,
  );
  gauge(
    'jobs_running',
    'Jobs that are captured now; in a shared store those of all instances',
    (counts) => counts.running,
  );
  gauge(
    'webhooks_waiting',
    'Webhooks that have not arrived yet; in a shared store those of all instances',
    (counts) => counts.webhooks,
  );

  const attempts = new Counter({
    name: `${PREFIX}job_attempts_total`,
    help: 'Attempts at jobs by how they ended: done, failed (for good), retried (later), returned (shutting down), lost (cancelled, or the lease was over)',
    labelNames: ['end'],
    registers,
  });
  return {
    recordJob: (end) => attempts.inc({ end }),
    countJobs: (newCount) => {
      count = newCount;
    },
  };
}
