import type { AskedFor } from './asked-for.ts';

/**
 * Lets the page have a frame, with all that waits to be seen in it, and gives back what it had asked for before; undefined, and no frame,
 * where the page can not act. Runs in the page.
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
