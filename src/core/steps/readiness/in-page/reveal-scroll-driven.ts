import { rootsOf } from '../../in-page/roots-of.ts';
import { animationsIn } from './end-animations.ts';
import { waitForObservers } from './wait-for-observers.ts';

/**
 * Moves animations on a view timeline to the time at which their element is in the middle of the window, unless they
 * are later already. Otherwise sections below the first window stay hidden on a picture of the whole page. Animations
 * on a scroll timeline, such as progress bars, stay as they are at the top of the page. First waits for frames, at most
 * `limitMs`: a timeline gets its time in a frame, and on a busy machine the last frame may be older than the last
 * scroll. Runs in the page.
 */
export async function revealScrollDriven(limitMs: number): Promise<void> {
  const MIDDLE = 50; // percent of a view timeline
  const MAX_FRAMES = 3; // the timeline of an element without a box never gets a time
  if (findDriven().length === 0) return;
  const timeUp = AbortSignal.timeout(limitMs);
  const late = new Promise<void>((resolve) => timeUp.addEventListener('abort', () => resolve()));
  for (let frames = 0; frames < MAX_FRAMES && !timeUp.aborted; frames++) {
    await Promise.race([waitForObservers(), late]);
    if (!findDriven().some(isWithoutTime)) break;
  }

  for (const animation of findDriven()) {
    const now = percentOf(animation.timeline?.currentTime);
    const start = percentOf(animation.startTime);
    if (now === undefined || start === undefined || now >= MIDDLE) continue;
    animation.pause();
    animation.currentTime = CSS.percent(MIDDLE - start);
  }
}

function percentOf(time: unknown): number | undefined {
  return time instanceof CSSUnitValue && time.unit === 'percent' ? time.value : undefined;
}

function findDriven(): Animation[] {
  return rootsOf()
    .flatMap(animationsIn)
    .filter(({ timeline }) => timeline !== null && 'subject' in timeline)
    .toArray();
}

function isWithoutTime({ timeline, pending }: Animation): boolean {
  return pending || timeline?.currentTime === null;
}
