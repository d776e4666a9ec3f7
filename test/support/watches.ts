import type { Run, Watch } from '../../src/parts/watches/watch.ts';
import type { WatchLimits } from '../../src/parts/watches/watch-store.ts';

/** Returns a watch of a page. */
export function watchOf(id: string, given: Partial<Watch> = {}): Watch {
  return {
    id,
    owner: 'default',
    origin: 'http://localhost',
    createdAt: 0,
    fields: {
      capture: { url: 'https://example.com/' },
      schedule: 'every 10 minutes',
      timezone: 'UTC',
      compare: { ignore: [], threshold: 0.01, min_ratio: 0 },
      confirm: 2,
      notify: 'changed',
      baseline: 'told',
      keep: 30,
      pause_after_failures: 20,
    },
    anchorMs: 0,
    edition: 1,
    nextAt: 600_000,
    spreadMs: 0,
    failures: 0,
    compared: [],
    revision: 1,
    ...given,
  };
}

/** Returns a run that has found no difference. */
export function runOf(watch: string, id: string, given: Partial<Run> = {}): Run {
  return { id, watch, outcome: 'same', startedAt: 1, finishedAt: 2, edition: 1, isReported: false, ...given };
}

/** Returns limits for all owners and for each of them. */
export function limitsOf(most: number): WatchLimits {
  return { all: most, own: most };
}
