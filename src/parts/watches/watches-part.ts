import type { Part } from '../../core/part.ts';
import type { CompareState } from '../compare/compare.ts';
import type { JobsState } from '../jobs/jobs.ts';
import type { MetricsState } from '../metrics/metrics.ts';
import { startSchedule } from './schedule-loop.ts';
import { openWatchStore } from './stores/open-watch-store.ts';
import { createWatches, type Watches } from './watches.ts';

/** What parts that use watches share. */
export interface WatchesState {
  /** Undefined: the service has no jobs, and so no watches. */
  readonly watches: Watches | undefined;
}

/** Captures on a schedule, and what has changed between them. */
export const WATCHES: Part<JobsState & CompareState & MetricsState, WatchesState> = {
  open: async (core) => {
    const { budgets, capture, compare, config, jobs, lifecycle, log, metrics, now, parseFields } = core;
    if ('missing' in jobs) return { state: { watches: undefined } };
    const store = await openWatchStore(config, log);
    lifecycle.onClose({ name: 'watches', timeoutMs: 2_000, close: store.close });
    const watches = createWatches({
      store,
      storage: jobs.storage,
      jobs,
      compare,
      capture,
      parseFields,
      memory: budgets.answers,
      maxPixels: config.maxPixels,
      recordRun: metrics.recordRun,
      now,
      log,
    });
    jobs.serveWatches(watches.runs);
    metrics.countWatches(store.counts);
    let schedule: ReturnType<typeof startSchedule> | undefined;
    return {
      state: { watches },
      start: () => {
        schedule = startSchedule({ watches, now: () => now() * 1_000, log });
      },
      stop: async () => await schedule?.close(),
    };
  },
};
