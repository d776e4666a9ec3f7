import type { Page } from '../../browser/page/page.ts';

const NOTHING = { usedSize: 0 }; // of a frame that is gone
const heapsAtRest = new WeakMap<Page, number>();

/** Grows by whatever a script does, in frames of other sites too, and stands still while none runs: bytes. */
export async function heapSize(page: Page): Promise<number> {
  const own = page.send('Runtime.getHeapUsage');
  const others = page.children
    .frames()
    .map((frame) => frame.send('Runtime.getHeapUsage').catch(() => NOTHING));
  const heaps = await Promise.all([own, ...others]);
  return heaps.reduce((sum, { usedSize }) => sum + usedSize, 0);
}

/** Remembers that the page has seen its last frame and has nothing to do, with the heap that it has now. */
export function restsWith(page: Page, heap: number): void {
  heapsAtRest.set(page, heap);
}

/** Whether no script has run in the page, ours neither, since it came to rest: another frame would show it nothing new. */
export async function isAtRest(page: Page): Promise<boolean> {
  const heap = heapsAtRest.get(page);
  return heap !== undefined && heap === (await heapSize(page));
}
