/** Lifetime of an idempotency key. */
export const IDEMPOTENCY_MS = 86_400_000;

/** Lease of a claim without a heartbeat. After that, another instance may run the job. */
export const LEASE_MS = 60_000;
/** A third of the lease: two heartbeats may be late. */
export const HEARTBEAT_MS = 20_000;

/** Attempts per job, including those that crashed. */
export const MAX_ATTEMPTS = 3;
/** Attempts of a run of a watch: the next run is another chance. */
export const RUN_ATTEMPTS = 2;
/** Delays before the second and the third attempt. */
export const RETRY_DELAYS_MS: readonly number[] = [5_000, 30_000];

/** Polling interval for jobs that were not announced: expired leases and delays, jobs of other processes. */
export const POLL_MS = 1_000;

/** Time limit of the store for health checks. */
export const PROBE_LIMIT_MS = 1_000;

/** Time limit for sending one webhook, including the time until its lease expires. */
export const WEBHOOK_LEASE_MS = 120_000;
export const WEBHOOKS_AT_ONCE = 32;
/** Receivers that hang delay the webhooks of their own owner only. */
export const WEBHOOKS_OF_OWNER = 4;

/** Upper bound for leases and delays of a job. A longer one comes from a clock that was ahead. */
export const LONGEST_WAIT_MS = 600_000;
/** Upper bound for delays of a webhook: a day, which a receiver may request, and a margin. */
export const LONGEST_WEBHOOK_WAIT_MS = 90_000_000;

export const SWEEP_MS = 30_000;
/** Maximum number of jobs that one batch of the sweep removes. */
export const SWEEP_BATCH = 100;

/**
 * Longest time after which a storage may still complete a write whose process gave up or was killed: three tries of 100
 * MB to a bucket take six minutes.
 */
export const LATE_WRITE_MS = 900_000;

export const JOBS_IN_A_PAGE = 50;
export const MAX_BATCH = 100;
