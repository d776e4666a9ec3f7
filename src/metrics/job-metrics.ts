import { Counter, Gauge, type Registry } from '@prometheus-io/client';
import type { JobCounts } from '../jobs/job-store.ts';
import type { AttemptEnd } from '../jobs/run-job.ts';
import { PREFIX } from './prefix.ts';

const countNone = async (): Promise<JobCounts> => ({ queued: 0, running: 0, webhooks: 0 });

export interface JobMetrics {
  /** Records how an attempt of a job ended. */
  readonly recordJob: (end: AttemptEnd) => void;
  /** Sets the function that counts jobs each time that the metrics are rendered. */
  readonly countJobs: (count: () => Promise<JobCounts>) => void;
  /** Counts a record of a job that cannot be read. */
  readonly recordUnreadable: () => void;
}

/** Adds the metrics of jobs. In Redis, the gauges count the jobs of all instances. */
export function addJobMetrics(registry: Registry): JobMetrics {
  const registers = [registry];
  let count: () => Promise<JobCounts> = countNone;
  let counting: Promise<JobCounts | undefined> | undefined;

  /** Counts once per rendering, for all gauges. Undefined while the store fails. */
  const countOnce = (): Promise<JobCounts | undefined> => {
    counting ??= count()
      .catch(() => undefined)
      .finally(() => {
        counting = undefined;
      });
    return counting;
  };
  const gauge = (
    name: string,
    help: string,
    read: (counts: JobCounts) => number,
    whileAway = Number.NaN,
  ): void => {
    const made: Gauge = new Gauge({
      name: `${PREFIX}${name}`,
      help,
      registers,
      collect: async () => {
        const counts = await countOnce();
        made.set(counts === undefined ? whileAway : read(counts));
      },
    });
  };
  gauge(
    'jobs_waiting',
    'Jobs that wait for their first or next attempt; in Redis, of all instances',
    (counts) => counts.queued,
  );
  gauge('jobs_running', 'Jobs that run now; in Redis, of all instances', (counts) => counts.running);
  gauge(
    'webhooks_waiting',
    'Webhooks that wait to be sent; in Redis, of all instances',
    (counts) => counts.webhooks,
  );
  gauge('jobs_available', '1 while the job store works, 0 while jobs are refused', () => 1, 0);

  const attempts = new Counter({
    name: `${PREFIX}job_attempts_total`,
    help: 'Attempts of jobs by result: done, failed (for good), retried (later), returned (shutdown), lost (cancelled, or the claim expired)',
    labelNames: ['end'],
    registers,
  });
  const unreadable = new Counter({
    name: `${PREFIX}job_records_unreadable_total`,
    help: "Job records that can't be read and are skipped: damaged, or written by another version",
    registers,
  });
  return {
    recordUnreadable: () => unreadable.inc(),
    recordJob: (end) => attempts.inc({ end }),
    countJobs: (newCount) => {
      count = newCount;
    },
  };
}
