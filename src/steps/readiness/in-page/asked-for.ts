/** How much the page has ever asked for that happens later, frames of the same origin included. */
export interface AskedFor {
  /** Timers, and callbacks for when it is idle. */
  readonly timers: number;
  /** Callbacks before the next frame. */
  readonly frames: number;
  /** Documents that were asked. */
  readonly documents: number;
  /** Frames of other origins, which can't be asked. */
  readonly strangers: number;
  /** CSS and Web animations that are there now: something may wait for their end. */
  readonly animations: number;
}

/**
 * Counts what the page has asked for, by the numbers that the browser gives out: the next one of each kind tells. Each call is counted
 * by the next, once for each document and kind. Runs in the page.
 */
export function askedFor(): AskedFor {
  const count = (view: Window): AskedFor => {
    const timer = view.setTimeout(() => undefined, 0);
    view.clearTimeout(timer);
    const idle = view.requestIdleCallback(() => undefined);
    view.cancelIdleCallback(idle);
    const frame = view.requestAnimationFrame(() => undefined);
    view.cancelAnimationFrame(frame);
    let [timers, frames, documents] = [timer + idle - 2, frame - 1, 1];
    let strangers = 0;
    let animations = view.document.getAnimations().length;
    for (const { contentDocument } of view.document.querySelectorAll('iframe')) {
      const inner = contentDocument?.defaultView;
      if (inner === null || inner === undefined) {
        strangers++;
        continue;
      }
      const of = count(inner);
      timers += of.timers;
      frames += of.frames;
      documents += of.documents;
      strangers += of.strangers;
      animations += of.animations;
    }
    return { timers, frames, documents, strangers, animations };
  };
  return count(window);
}
