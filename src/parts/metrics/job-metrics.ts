import type { JobCounts } from '../jobs/job-store.ts';
import type { AttemptEnd } from '../jobs/run-job.ts';
import type { Series } from './series.ts';

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
export function addJobMetrics(series: Series): JobMetrics {
  let count: () => Promise<JobCounts> = countNone;
  let counting: Promise<JobCounts | undefined> | undefined;

  /** Counts once per rendering, for all gauges. Undefined while the store fails. */
  const countOnce = (): Promise<JobCounts | undefined> => {
    counting ??= count()
      .catch(() => undefined)
      .finally(() => (counting = undefined));
    return counting;
  };
  const gauge = (name: string, help: string, read: (counts: JobCounts) => number): void =>
    series.gauge(name, `${help}; in Redis, of all instances`, async () => {
      const counts = await countOnce();
      return counts === undefined ? Number.NaN : read(counts);
    });
  gauge('jobs_waiting', 'Jobs that wait for their first or next attempt', ({ queued }) => queued);
  gauge('jobs_running', 'Jobs that run now', ({ running }) => running);
  gauge('webhooks_waiting', 'Webhooks that wait to be sent', ({ webhooks }) => webhooks);
  series.gauge('jobs_available', '1 while the job store works, 0 while jobs are refused', async () =>
    (await countOnce()) === undefined ? 0 : 1,
  );

  const attempts = series.counter(
    'job_attempts_total',
    'Attempts of jobs by result: done, failed (for good), retried (later), returned (shutdown), lost (cancelled, or the claim expired)',
    ['end'],
  );
  const unreadable = series.counter(
    'job_records_unreadable_total',
    "Job records that can't be read and are skipped: damaged, or written by another version",
  );
  return {
    recordUnreadable: () => unreadable.inc(),
    recordJob: (end) => attempts.inc({ end }),
    countJobs: (newCount) => (count = newCount),
  };
}
