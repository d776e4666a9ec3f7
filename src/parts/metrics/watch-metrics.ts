import type { Outcome } from '../watches/watch.ts';
import type { WatchCounts } from '../watches/watch-store.ts';
import type { Series } from './series.ts';

export interface WatchMetrics {
  /** Records how a run of a watch ended. */
  readonly recordRun: (outcome: Outcome) => void;
  /** Sets the function that counts watches each time that the metrics are rendered. */
  readonly countWatches: (count: () => Promise<WatchCounts>) => void;
}

const countNone = async (): Promise<WatchCounts> => ({ active: 0, paused: 0 });

/** Adds the metrics of watches. In Redis, the gauge counts the watches of all instances. */
export function addWatchMetrics(series: Series): WatchMetrics {
  let count: () => Promise<WatchCounts> = countNone;
  const gauge = (name: string, help: string, state: keyof WatchCounts): void =>
    series.gauge(name, `${help}; in Redis, of all instances`, async () =>
      count().then(
        (counts) => counts[state],
        () => Number.NaN,
      ),
    );
  gauge('watches_active', 'Watches that run on their schedule', 'active');
  gauge('watches_paused', 'Watches that are paused', 'paused');
  const runs = series.counter(
    'watch_runs_total',
    'Runs of watches by outcome: first, same, changed, done (not compared), failed, skipped (the run before was going)',
    ['outcome'],
  );
  return {
    recordRun: (outcome) => runs.inc({ outcome }),
    countWatches: (newCount) => (count = newCount),
  };
}
