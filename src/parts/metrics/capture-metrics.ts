import type { FormatName } from '../../core/capture/formats/format-names.ts';
import type { ErrorType } from '../../core/ground/errors.ts';
import { PHASES, type Phase } from '../../core/steps/common/stopwatch.ts';
import type { Series } from './series.ts';

/** A finished capture, made by the browser and not taken from the cache. */
export interface FinishedCapture {
  readonly format: FormatName;
  readonly outcome: 'success' | 'cancelled' | ErrorType;
  /** Milliseconds of each phase. Undefined for a failed capture. */
  readonly timings: Readonly<Record<Phase, number>> | undefined;
  readonly blockedRequests: number;
  readonly filteredRequests: number;
  /** Id of the key. Undefined without authentication. */
  readonly key?: string | undefined;
}

/**
 * Adds the metrics of captures. Returns the function that records a finished capture.
 * @param isPerKey adds the label `key`, so that there are as many series as keys
 */
export function addCaptureMetrics(series: Series, isPerKey: boolean): (capture: FinishedCapture) => void {
  const captures = series.counter(
    'captures_total',
    'Captures by format and outcome: success, cancelled (all clients disconnected) or an error type',
    ['format', 'outcome', ...(isPerKey ? ['key'] : [])],
  );
  const queueSeconds = series.seconds('queue_wait_seconds', 'Time that a capture waited for a page');
  const phaseSeconds = series.seconds('phase_duration_seconds', 'Time that a capture spent in each phase', ['phase']);
  const blocked = series.counter(
    'blocked_requests_total',
    'Connections of captured pages that the egress rules refused',
  );
  const filtered = series.counter(
    'filtered_requests_total',
    'Requests of captured pages that fields such as block_ads blocked',
  );

  return ({ format, outcome, timings, blockedRequests, filteredRequests, key = '' }) => {
    captures.inc({ format, outcome, ...(isPerKey && { key }) });
    blocked.inc(blockedRequests);
    filtered.inc(filteredRequests);
    if (timings === undefined) return;
    for (const phase of PHASES) {
      const seconds = timings[phase] / 1_000;
      if (phase === 'queue') queueSeconds.observe(seconds);
      else phaseSeconds.observe({ phase }, seconds);
    }
  };
}
