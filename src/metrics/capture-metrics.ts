import { Counter, Histogram, type Registry } from '@prometheus-io/client';
import type { FormatName } from '../capture/formats/format-names.ts';
import type { ErrorType } from '../errors.ts';
import { PHASES, type Phase } from '../steps/common/stopwatch.ts';
import { PREFIX, SECONDS_BUCKETS } from './prefix.ts';

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
 * Adds the metrics of captures to the registry. Returns the function that records a finished capture.
 * @param isPerKey adds the label `key`, so that there are as many series as keys
 */
export function addCaptureMetrics(registry: Registry, isPerKey: boolean): (capture: FinishedCapture) => void {
  const registers = [registry];
  const captures = new Counter({
    name: `${PREFIX}captures_total`,
    help: 'Captures by format and outcome: success, cancelled (all clients disconnected) or an error type',
    labelNames: ['format', 'outcome', ...(isPerKey ? ['key'] : [])],
    registers,
  });
  const queueSeconds = new Histogram({
    name: `${PREFIX}queue_wait_seconds`,
    help: 'Time that a capture waited for a page',
    buckets: SECONDS_BUCKETS,
    registers,
  });
  const phaseSeconds = new Histogram({
    name: `${PREFIX}phase_duration_seconds`,
    help: 'Time that a capture spent in each phase',
    labelNames: ['phase'],
    buckets: SECONDS_BUCKETS,
    registers,
  });
  const blocked = new Counter({
    name: `${PREFIX}blocked_requests_total`,
    help: 'Connections of captured pages that the egress rules refused',
    registers,
  });
  const filtered = new Counter({
    name: `${PREFIX}filtered_requests_total`,
    help: 'Requests of captured pages that fields such as block_ads blocked',
    registers,
  });

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
