import { isDocumentLost } from '../../core/browser/browser-errors.ts';
import type { Handle } from '../../core/browser/page/evaluate.ts';
import { type ElementState, readElementState, type Need } from './in-page/read-element-state.ts';
import { pickElement } from './in-page/pick-element.ts';
import { delay } from '../../core/steps/common/waiting.ts';
import { ActionFailure, type Stage } from './stage.ts';

/** An element that is ready, and the point of the element that the mouse reaches, in CSS pixels of the window. */
export interface Actionable {
  readonly handle: Handle;
  readonly x: number;
  readonly y: number;
}

/** Polling interval: two frames. Frames are not awaited, because a busy page may have none. */
const POLL_MS = 35;
const SENTENCES = {
  ready: 'moves without rest',
  invisible: 'is not visible',
  disabled: 'is disabled',
  read_only: 'is read-only',
  out_of_reach: "can't be scrolled into view",
  file: "is a file field: files can't be chosen",
} as const satisfies Record<Exclude<ElementState['state'], 'covered'>, string>;
/** Smaller movements don't count, in CSS pixels. */
const STILL_PX = 0.5;

/**
 * Waits until an element is ready for the action and has not moved since the last check.
 * @throws ActionFailure with the reason, after the time limit
 */
export async function untilActionable(stage: Stage, selector: string, need: Need): Promise<Actionable> {
  const { page, settle, endsAt } = stage;
  let last: Found | undefined;
  for (;;) {
    await settle();
    const found = await lookAt(stage, selector, need);
    if (found?.state === 'ready' && isSamePlace(found, last)) return found;
    // A second check is needed to see whether the element moves.
    const isHalfSeen = found?.state === 'ready' && last === undefined;
    if (found?.state === 'file' || (performance.now() >= endsAt && !isHalfSeen))
      throw new ActionFailure(explain(selector, found));
    last = found;
    await delay(page, POLL_MS);
  }
}

/** Checks whether the element is still ready after the mouse has moved to it. */
export async function isStillActionable(
  stage: Stage,
  { selector, need, before }: { readonly selector: string; readonly need: Need; readonly before: Actionable },
): Promise<boolean> {
  return isSamePlace(before, await lookAt(stage, selector, need));
}

type Found = ElementState & { readonly handle: Handle };

/** Undefined: no element matches. */
async function lookAt({ page }: Stage, selector: string, need: Need): Promise<Found | undefined> {
  const handle = await page.evaluateHandle(pickElement, selector);
  if (handle === undefined) return undefined;
  try {
    return { ...(await page.callOn(handle, readElementState, need)), handle };
  } catch (error) {
    if (isDocumentLost(error)) return undefined; // the document was replaced: the next check uses the new one
    throw error;
  }
}

function isSamePlace(found: Pick<Actionable, 'x' | 'y'>, last: Found | undefined): boolean {
  if (last?.state !== 'ready') return false;
  return Math.abs(found.x - last.x) < STILL_PX && Math.abs(found.y - last.y) < STILL_PX;
}

function explain(selector: string, found: Found | undefined): string {
  if (found === undefined) return `no element matches ${selector}`;
  if (found.state === 'covered') return `${selector} is covered by ${found.by}`;
  return `${selector} ${SENTENCES[found.state]}`;
}
