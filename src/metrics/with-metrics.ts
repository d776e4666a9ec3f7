import type { Capture } from '../capture/capture.ts';
import { ServiceError } from '../errors.ts';
import type { Metrics } from './metrics.ts';

/** Wraps a capture function so that its results are recorded. */
export function withMetrics(capture: Capture, { recordCapture }: Pick<Metrics, 'recordCapture'>): Capture {
  return async (options, context) => {
    const { format } = options;
    const key = context.key?.id;
    try {
      const answer = await capture(options, context);
      const { timings, blockedRequests, filteredRequests } = answer;
      recordCapture({ format, outcome: 'success', timings, blockedRequests, filteredRequests, key });
      return answer;
    } catch (error) {
      const type = error instanceof ServiceError ? error.type : 'InternalServerError';
      const outcome = context.signal.aborted ? 'cancelled' : type;
      recordCapture({ format, outcome, timings: undefined, blockedRequests: 0, filteredRequests: 0, key });
      throw error;
    }
  };
}
