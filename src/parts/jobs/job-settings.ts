import { wholeNumber } from '../../core/config/parsers.ts';
import { type ConfigOf, setting } from '../../core/config/setting.ts';

/** Settings of jobs. */
export const JOB_SETTINGS = {
  jobRetention: setting('JOB_RETENTION', {
    ...wholeNumber(1, 31_536_000),
    default: '86400',
    meaning: 'Lifetime of a finished job and its result, in seconds',
  }),
  jobRetentionBytes: setting('JOB_RETENTION_BYTES', {
    ...wholeNumber(1, 1_125_899_906_842_624),
    default: '107374182400',
    meaning:
      'Maximum size of all job results, in bytes. Above it, the oldest results are removed early. Copies at a `store_path` do not count',
  }),
  jobConcurrency: setting('JOB_CONCURRENCY', {
    ...wholeNumber(0, 256),
    unset: 'half of POOL_SIZE',
    meaning: 'Concurrent jobs. Requests to /capture go first. 0: only other instances run jobs',
  }),
  jobMaxQueued: setting('JOB_MAX_QUEUED', {
    ...wholeNumber(1, 10_000_000),
    default: '10000',
    meaning: 'Maximum number of jobs that wait. One key may have half of them',
  }),
  jobMaxQueuedBytes: setting('JOB_MAX_QUEUED_BYTES', {
    ...wholeNumber(1, 1_125_899_906_842_624),
    default: '268435456',
    meaning: 'Maximum size of the captures of waiting jobs, in bytes. One key may have half of it',
  }),
};

export type JobSettings = ConfigOf<typeof JOB_SETTINGS>;
