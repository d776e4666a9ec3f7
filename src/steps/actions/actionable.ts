import { isDocumentLost } from '../../browser/browser-errors.ts';
import type { Handle } from '../../browser/page/evaluate.ts';
import { rootsOf } from '../in-page/roots-of.ts';
import { type Look, lookAtElement, type Need } from './in-page/look-at-element.ts';
import { pickElement } from './in-page/pick-element.ts';
import { letPass } from '../common/waiting.ts';
import { ActionFailure } from './action-failure.ts';
import type { Stage } from './stage.ts';

/** An element at rest, and the point of it that the mouse reaches: CSS pixels of the window. */
export interface Actionable {
  readonly handle: Handle;
  readonly x: number;
  readonly y: number;
}

/** Between two looks: two frames of the page, which may have none while it is busy, so none is waited for. */
const LOOK_MS = 35;
const SENTENCES = {
  ready: 'moves without rest',
  invisible: 'is not visible',
  disabled: 'is disabled',
  read_only: 'can only be read',
  out_of_reach: 'can not be scrolled into view',
  file: 'is a file field: files can not be chosen',
} as const satisfies Record<Exclude<Look['state'], 'covered'>, string>;
/** Less than this is no movement: CSS pixels. */
const STILL_PX = 0.5;

/**
 * Waits until an element is what the action needs, and where it was the look before.
 * @throws ActionFailure that says what it was not, when the patience for it ends.
 */
export async function untilActionable(stage: Stage, selector: string, need: Need): Promise<Actionable> {
  const { page, settle, endsAt } = stage;
  let last: Sight | undefined;
  for (;;) {
    await settle();
    const sight = await lookAt(stage, selector, need);
    if (sight?.state === 'ready' && isSamePlace(sight, last)) return sight;
    // One look is none: whether it rests is seen at the second.
    const isHalfSeen = sight?.state === 'ready' && last === undefined;
    if (sight?.state === 'file' || (performance.now() >= endsAt && !isHalfSeen))
      throw new ActionFailure(explain(selector, sight));
    last = sight;
    await letPass(page, LOOK_MS);
  }
}

/** Whether it still is what it was, for what has happened to it by the mouse coming. */
export async function isStillActionable(
  stage: Stage,
  { selector, need, before }: { readonly selector: string; readonly need: Need; readonly before: Actionable },
): Promise<boolean> {
  return isSamePlace(before, await lookAt(stage, selector, need));
}

type Sight = Look & { readonly handle: Handle };

/** Undefined: nothing matches. */
async function lookAt({ page }: Stage, selector: string, need: Need): Promise<Sight | undefined> {
  const handle = await page.evaluateHandle(pickElement, selector, rootsOf);
  if (handle === undefined) return undefined;
  try {
    return { ...(await page.callOn(handle, lookAtElement, need)), handle };
  } catch (error) {
    if (isDocumentLost(error)) return undefined; // it went with its document: the next look is at another
    throw error;
  }
}

function isSamePlace(sight: Pick<Actionable, 'x' | 'y'>, last: Sight | undefined): boolean {
  if (last?.state !== 'ready') return false;
  return Math.abs(sight.x - last.x) < STILL_PX && Math.abs(sight.y - last.y) < STILL_PX;
}

function explain(selector: string, sight: Sight | undefined): string {
  if (sight === undefined) return `no element matches ${selector}`;
  if (sight.state === 'covered') return `${selector} is covered by ${sight.by}`;
  return `${selector} ${SENTENCES[sight.state]}`;
}
