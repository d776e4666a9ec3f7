import type { AskedFor } from './asked-for.ts';

/**
 * Waits for an animation frame with its observers. Returns the counts from before the frame. Undefined, without a frame, if the page
 * can't act. Runs in the page.
 */
export async function nextSight(
  canAct: () => boolean,
  askedFor: () => AskedFor,
  firstSight: () => Promise<void>,
): Promise<AskedFor | undefined> {
  if (!canAct()) return undefined;
  const before = askedFor();
  await firstSight();
  return before;
}
