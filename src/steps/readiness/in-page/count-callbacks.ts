/** Counts of the callbacks that the page has requested, including same-origin frames. */
export interface CallbackCounts {
  /** Timers and idle callbacks. */
  readonly timers: number;
  /** Animation frame callbacks. */
  readonly frames: number;
  /** Documents that were counted. */
  readonly documents: number;
  /** Cross-origin frames, which can't be counted. */
  readonly crossOriginFrames: number;
  /** Running CSS and Web animations. Scripts may wait for their end. */
  readonly animations: number;
}

/**
 * Counts the requested callbacks of a page. The browser assigns ids in order, so the next id of each kind reveals the
 * number. Each call uses up one id per document and kind. Runs in the page.
 */
export function countCallbacks(): CallbackCounts {
  const count = (view: Window): CallbackCounts => {
    const timer = view.setTimeout(() => undefined, 0);
    view.clearTimeout(timer);
    const idle = view.requestIdleCallback(() => undefined);
    view.cancelIdleCallback(idle);
    const frame = view.requestAnimationFrame(() => undefined);
    view.cancelAnimationFrame(frame);
    let [timers, frames, documents] = [timer + idle - 2, frame - 1, 1];
    let crossOriginFrames = 0;
    let animations = view.document.getAnimations().length;
    for (const { contentDocument } of view.document.querySelectorAll('iframe')) {
      const inner = contentDocument?.defaultView;
      if (inner === null || inner === undefined) {
        crossOriginFrames++;
        continue;
      }
      const of = count(inner);
      timers += of.timers;
      frames += of.frames;
      documents += of.documents;
      crossOriginFrames += of.crossOriginFrames;
      animations += of.animations;
    }
    return { timers, frames, documents, crossOriginFrames, animations };
  };
  return count(window);
}
