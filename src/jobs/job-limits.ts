/** How long a key of a client stands for its request. */
export const IDEMPOTENCY_MS = 86_400_000;

/** How long a claim is good without a sign of life: a job whose machine is lost goes to another after that. */
export const LEASE_MS = 60_000;
/** A third of it: two may be late. */
export const HEARTBEAT_MS = 20_000;

/** Of one job, those included that were broken off with the process or the browser. */
export const MAX_ATTEMPTS = 3;
/** Before the second attempt, and before the third. */
export const RETRY_DELAYS_MS: readonly number[] = [5_000, 30_000];

/** How often it is looked for work that nobody tells of: leases and pauses that have ended, what other processes take. */
export const LOOK_MS = 1_000;

/** Time limit for the store when a health route asks whether it works. */
export const PROBE_LIMIT_MS = 1_000;

/** An answer to one webhook is not waited for longer than this by the sender itself. */
export const WEBHOOK_LEASE_MS = 120_000;
export const WEBHOOKS_AT_ONCE = 4;

/** Longer than any lease or pause of a job. A longer one comes from a clock that was ahead. */
export const LONGEST_WAIT_MS = 600_000;
/** The same for a webhook: a day, which a receiver may request, and a margin. */
export const LONGEST_WEBHOOK_WAIT_MS = 90_000_000;

export const SWEEP_MS = 30_000;
/** Jobs that one sweep removes at most before others have a turn. */
export const SWEEP_BATCH = 100;

/**
 * Longest time after which a storage may still complete a write that its process gave up or died in: three tries of 100 MB to a
 * bucket take six minutes.
 */
export const LATE_WRITE_MS = 900_000;

export const JOBS_IN_A_PAGE = 50;
export const MAX_BATCH = 100;
