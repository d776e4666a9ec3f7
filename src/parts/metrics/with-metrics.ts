import type { CaptureWrapper } from '../../core/capture/capture.ts';
import { ServiceError } from '../../core/ground/errors.ts';
import type { Metrics } from './metrics.ts';

/** Records the outcome of each capture. */
export function withMetrics({ recordCapture }: Pick<Metrics, 'recordCapture'>): CaptureWrapper {
  return (capture) => async (options, context) => {
    const capturing = { format: options.format, key: context.key?.id };
    try {
      const answer = await capture(options, context);
      recordCapture({ ...capturing, outcome: 'success', ...answer.facts });
      return answer;
    } catch (error) {
      const type = error instanceof ServiceError ? error.type : 'InternalServerError';
      const outcome = context.signal.aborted ? 'cancelled' : type;
      recordCapture({ ...capturing, outcome, timings: undefined, blockedRequests: 0, filteredRequests: 0 });
      throw error;
    }
  };
}
