import type { CallbackCounts } from './count-callbacks.ts';

/**
 * Waits for an animation frame with its observers. Returns the counts from before the frame. Undefined, without a
 * frame, if the page can't act. Runs in the page.
 */
export async function countBeforeFrame(
  canAct: () => boolean,
  countCallbacks: () => CallbackCounts,
  waitForObservers: () => Promise<void>,
): Promise<CallbackCounts | undefined> {
  if (!canAct()) return undefined;
  const before = countCallbacks();
  await waitForObservers();
  return before;
}
