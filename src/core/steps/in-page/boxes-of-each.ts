import { elementBox } from './element-box.ts';
import type { Box } from './placement.ts';
import { everywhere } from './roots-of.ts';

/** Limit for hostile pages: matches that are looked at. */
const MOST_TRIED = 1_000;

/**
 * Returns what a person sees of each of the first `most` visible matches, in document order. Those left of the page,
 * where the browser can't draw them, are left out. `hasMore`: there are other matches. Runs in the page.
 */
export function boxesOfEach(
  selector: string,
  most: number,
): { readonly boxes: readonly Box[]; readonly hasMore: boolean } {
  const boxes: Box[] = [];
  let hasMore = false;
  for (const element of everywhere(selector).take(MOST_TRIED)) {
    const box = elementBox(element, true);
    if (box === undefined) continue;
    if (boxes.length === most || box.x < 0) hasMore = true;
    else boxes.push(box);
  }
  return { boxes, hasMore };
}
