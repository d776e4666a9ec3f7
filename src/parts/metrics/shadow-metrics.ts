import type { ShadowOutcome } from '../rehearsal/shadow.ts';
import type { Series } from './series.ts';

export interface ShadowMetrics {
  /** Records how a capture with the browser of BROWSER_NEXT ended. */
  readonly recordShadow: (outcome: ShadowOutcome) => void;
}

/** Adds the metrics of the browser that is tried beside the present one. */
export function addShadowMetrics(series: Series): ShadowMetrics {
  const captures = series.counter(
    'browser_next_captures_total',
    'Captures with the browser of BROWSER_NEXT by outcome: same, moved (another result), varies (the page differs each time), failed, skipped (too many waited)',
    ['outcome'],
  );
  return { recordShadow: (outcome) => captures.inc({ outcome }) };
}
