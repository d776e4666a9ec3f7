import type { AskedFor } from './asked-for.ts';

export interface Beat {
  /** True when the page wants to be called before the frame after this one, too. */
  readonly asksForFrames: boolean;
  /** True when it has ever asked for a timer. */
  readonly hasTimers: boolean;
}

/** One frame of the page, with all that waits to be seen in it; undefined, and no frame, where the page can not act. Runs in the page. */
export async function nextBeat(
  canAct: () => boolean,
  askedFor: () => AskedFor,
  firstSight: () => Promise<void>,
): Promise<Beat | undefined> {
  if (!canAct()) return undefined;
  const before = askedFor();
  await firstSight();
  const after = askedFor();
  return {
    asksForFrames: after.frames - before.frames > after.documents,
    hasTimers: before.timers > 0 || after.timers - before.timers > 2 * after.documents,
  };
}
