import { answerBytes } from '../capture/answer.ts';
import type { Capture, CaptureWrapper } from '../capture/capture.ts';
import { resultTooLarge, ServiceError } from '../ground/errors.ts';
import type { OpenPart } from '../part.ts';

interface WrapOptions {
  readonly parts: readonly Pick<OpenPart<object>, 'around'>[];
  /** True while the service is closing. */
  readonly isRefusing: () => boolean;
  readonly running: RunningWork;
  readonly maxResultBytes: number;
}

/** Adds everything around a capture that needs no page. */
export function wrapCapture(capture: Capture, { parts, running, maxResultBytes, isRefusing }: WrapOptions): Capture {
  const ofParts = (place: 'outside' | 'cache' | 'inside'): readonly CaptureWrapper[] =>
    parts.flatMap(({ around }) => around?.[place] ?? []);
  /**
   * The wrappers, from the outermost to the innermost. Their order decides how cached answers, refusals and failures
   * are counted.
   */
  const wrappers: readonly CaptureWrapper[] = [
    ...ofParts('outside'),
    // Cached answers need no slot and no quota, and are given even while the service is closing.
    ...ofParts('cache'),
    refuseWhile(isRefusing),
    // Around the quota, so that the shutdown waits until a reservation has been counted or given back.
    (inner) => (request, context) => running.count(() => inner(request, context)),
    ...ofParts('inside'),
    // Innermost: a result that no client can get is a failed capture, which no quota counts and no cache stores.
    withinAnswerLimit(maxResultBytes),
  ];
  return wrappers.reduceRight((inner, wrap) => wrap(inner), capture);
}

/** Work that the shutdown waits for. */
export interface RunningWork {
  /** Runs work and counts it while it runs: captures, and what belongs to one, such as storing its result. */
  readonly count: <T>(work: () => Promise<T>) => Promise<T>;
  /** Resolves when no work runs. */
  readonly idle: () => Promise<void>;
}

/**
 * Counts captures from the first attempt to the last. Between two attempts a capture has no page, so the pool would
 * report that it is idle and the service would close too early.
 */
export function createRunningWork(): RunningWork {
  let running = 0;
  let idle = Promise.withResolvers<void>();
  idle.resolve();
  return {
    count: async (work) => {
      if (running === 0) idle = Promise.withResolvers();
      running++;
      try {
        return await work();
      } finally {
        running--;
        if (running === 0) idle.resolve();
      }
    },
    idle: () => idle.promise,
  };
}

/** Refuses new captures while this is true. Running captures continue. */
function refuseWhile(isRefusing: () => boolean): CaptureWrapper {
  return (capture) => async (options, context) => {
    if (!isRefusing()) return await capture(options, context);
    throw new ServiceError('OverloadedError', 'The service is shutting down', { retryAfterSeconds: 5 });
  };
}

/**
 * Refuses JSON answers that are larger than MAX_RESULT_BYTES. Pages limit the file alone.
 * @throws ServiceError ResultTooLargeError
 */
function withinAnswerLimit(maxResultBytes: number): CaptureWrapper {
  return (capture) => async (options, context) => {
    const captured = await capture(options, context);
    if (answerBytes(options, captured) > maxResultBytes) throw resultTooLarge(maxResultBytes);
    return captured;
  };
}
