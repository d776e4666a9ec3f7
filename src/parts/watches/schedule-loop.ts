import type { Logger } from '../../core/ground/log.ts';
import type { Watch } from './watch.ts';
import { planAfter, type Watches } from './watches.ts';
import { TAKEN_MS, updateWatch } from './watch-store.ts';

const POLL_MS = 1_000;
/** Runs that one poll begins. The next poll follows at once if more are due. */
const BEGUN_AT_ONCE = 100;
const TIDY_MS = 30_000;
/** The clock has jumped back if it is behind by more than this. Smaller corrections are common. */
const JUMP_MS = 5_000;
const LISTED = 100;

interface LoopOptions {
  readonly watches: Watches;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly log: Logger;
  readonly pollMs?: number;
}

/** Begins the runs that are due. Each instance has one. */
export interface ScheduleLoop {
  /** Begins what is due now. Never rejects. */
  readonly poll: () => Promise<void>;
  readonly close: () => Promise<void>;
}

export function startSchedule({ watches, now, log, pollMs = POLL_MS }: LoopOptions): ScheduleLoop {
  const { store } = watches;
  const hasJumpedBack = createClockCheck(now);
  const closing = new AbortController();
  let isPlanned = false;
  let tidiedAt = performance.now();
  let polling: Promise<void> | undefined;

  const beginDue = async (): Promise<void> => {
    for (let count = 0; count < BEGUN_AT_ONCE && !closing.signal.aborted; count++) {
      const watch = await store.takeDue(now(), now() + TAKEN_MS);
      if (watch === undefined) return;
      try {
        await watches.beginPlanned(watch);
      } catch (error) {
        // It is taken again in half a minute: the queue of jobs is full, or its store fails.
        log.warn({ err: error, watch: watch.id }, 'the run of a watch could not begin');
      }
    }
  };
  const pollOnce = async (): Promise<void> => {
    try {
      if (hasJumpedBack() || !isPlanned) await planAgain(watches, now, closing.signal);
      isPlanned = true;
      await beginDue();
      if (performance.now() - tidiedAt < TIDY_MS) return;
      tidiedAt = performance.now();
      while (!closing.signal.aborted && (await watches.tidy()));
    } catch {
      // The store fails, which it has logged. The next poll tries again.
    }
  };
  const poll = (): Promise<void> => (polling ??= pollOnce().finally(() => (polling = undefined)));
  const timer = setInterval(() => void poll(), pollMs).unref();

  return {
    poll,
    close: async () => {
      clearInterval(timer);
      closing.abort();
      await polling;
    },
  };
}

/** Returns a function that is true once after the wall clock has jumped back. */
function createClockCheck(now: () => number): () => boolean {
  let offsetMs = now() - performance.now();
  return () => {
    const before = offsetMs;
    offsetMs = now() - performance.now();
    return offsetMs < before - JUMP_MS;
  };
}

/** Plans runs again that are planned too late, because the clock was ahead at that time. */
async function planAgain({ store }: Watches, now: () => number, signal: AbortSignal): Promise<void> {
  let before: string | undefined;
  while (!signal.aborted) {
    const page = await store.list(undefined, { before, limit: LISTED });
    for (const { id } of page.filter((watch) => isLate(watch, now())))
      await updateWatch(store, id, (watch) =>
        isLate(watch, now()) ? { ...watch, ...planAfter(watch, now()) } : undefined,
      );
    before = page.at(-1)?.id;
    if (page.length < LISTED) return;
  }
}

function isLate(watch: Watch, nowMs: number): boolean {
  try {
    const { nextAt } = planAfter(watch, nowMs);
    return watch.nextAt !== null && nextAt !== null && watch.nextAt > nextAt;
  } catch {
    return false; // a schedule that this version cannot read must not stop the others: its own run reports it
  }
}
