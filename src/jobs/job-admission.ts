/**
 * Idle time of the pool after which jobs may use all of their slots. Clients that capture one page after another leave
 * shorter gaps.
 */
const QUIET_MS = 2_000;

interface AdmissionOptions {
  /** Milliseconds since a client waited for a capture; 0 while one does. */
  readonly quietMs: () => number;
  /** True if jobs have waited so long for a slot that one may start although clients wait, too. */
  readonly isBackgroundDue: () => boolean;
}

/**
 * Returns a function that decides whether a job may start while `running` others run. Jobs and captures share the
 * processors, even if they use different slots. So several jobs run at once only while the pool is quiet. Otherwise one
 * job at a time starts, between captures or when a background job is due.
 */
export function createJobAdmission({ quietMs, isBackgroundDue }: AdmissionOptions) {
  return (running: number): boolean => {
    const quiet = quietMs();
    if (quiet >= QUIET_MS) return true;
    return running === 0 && (quiet > 0 || isBackgroundDue());
  };
}
