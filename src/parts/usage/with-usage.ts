import { answerBytes } from '../../core/capture/answer.ts';
import type { CaptureWrapper } from '../../core/capture/capture.ts';
import { ServiceError } from '../../core/ground/errors.ts';
import type { Usage } from './usage.ts';

/** Errors of requests that were refused before a capture began. They are not counted as failed captures. */
const REFUSALS: readonly string[] = ['QuotaExceededError', 'OverloadedError'];

/**
 * Wraps the function that makes captures: reserves a capture of the quota before, and counts it after. Gives the
 * reservation back after an error, and if all clients have left. Equal requests that share a capture count once, for
 * the key that started it.
 */
export function withQuota(usage: Usage): CaptureWrapper {
  return (capture) => async (options, context) => {
    if (context.key === undefined) return await capture(options, context);
    const reserved = await usage.reserve(context.key);
    try {
      const answer = await capture(options, context);
      const bytes = answerBytes(options, answer);
      await (context.signal.aborted ? reserved.giveBack() : reserved.count(answer.file, bytes));
      return answer;
    } catch (error) {
      await reserved.giveBack();
      throw error;
    }
  };
}

/** Wraps the function that answers from the cache: counts cached answers and failed captures. */
export function withUsage(usage: Usage): CaptureWrapper {
  return (capture) => async (options, context) => {
    const { key } = context;
    if (key === undefined) return await capture(options, context);
    try {
      const answer = await capture(options, context);
      const { isHit, isShared } = answer.caching ?? {};
      if (isHit === true || isShared === true) {
        usage.count(key.id, { cached: 1, bytes: answerBytes(options, answer) });
      }
      return answer;
    } catch (error) {
      const isRefusal = error instanceof ServiceError && REFUSALS.includes(error.type);
      if (!isRefusal && !context.signal.aborted) usage.count(key.id, { failed: 1 });
      throw error;
    }
  };
}
