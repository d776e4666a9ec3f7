import type { Page } from '../../browser/page/page.ts';

const NOTHING = { usedSize: 0 }; // result for a frame that was removed
const heapsAtRest = new WeakMap<Page, number>();
const slow = new WeakSet<Page>();
const holding = new WeakSet<Page>();

/**
 * Returns the heap size of the page in bytes, with cross-site frames. It grows whenever a script runs, and is constant
 * otherwise.
 */
export async function heapSize(page: Page): Promise<number> {
  const own = page.send('Runtime.getHeapUsage');
  const others = page.children.frames().map((frame) => frame.send('Runtime.getHeapUsage').catch(() => NOTHING));
  const heaps = await Promise.all([own, ...others]);
  return heaps.reduce((sum, { usedSize }) => sum + usedSize, 0);
}

/** Records that the page has had its last frame, that nothing is pending, and its current heap size. */
export function restsWith(page: Page, heap: number): void {
  heapsAtRest.set(page, heap);
}

/** True if the page has come to rest once: it has no endless timers and frames. */
export function hasRested(page: Page): boolean {
  return heapsAtRest.has(page);
}

/** True if no script, ours included, has run since `restsWith`: another frame would change nothing. */
export async function isAtRest(page: Page): Promise<boolean> {
  const heap = heapsAtRest.get(page);
  return heap !== undefined && heap === (await heapSize(page));
}

/** Records that the time of the page could not run ahead within its limit, because its frames are slow. */
export function drawsSlowly(page: Page): void {
  slow.add(page);
}

/** True for a page whose picture would wait for its own frames. Software draws the frames of all pages in one queue. */
export function hasSlowFrames(page: Page): boolean {
  return slow.has(page);
}

/** Records that parts of the page are held as they were seen, although its scripts have hidden them. */
export function holdsParts(page: Page): void {
  holding.add(page);
}

export function hasHeldParts(page: Page): boolean {
  return holding.has(page);
}
