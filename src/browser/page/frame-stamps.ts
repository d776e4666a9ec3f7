/**
 * Gives the callbacks of frames the page's time: Chrome stamps frames with the time of the world, also where the page's has run ahead,
 * and what began at the one never ends by the other. Runs among the page's own scripts, which may have put something else in its place.
 */
function stampFrames(): void {
  const BEHIND_MS = 50; // a frame has begun so long ago at the most, unless the clock has run ahead
  const stamp = (view: Window & typeof globalThis): void => {
    const request = view.requestAnimationFrame;
    if (typeof request !== 'function') return;
    view.requestAnimationFrame = function requestAnimationFrame(callback: FrameRequestCallback): number {
      if (typeof callback !== 'function') return request.call(view, callback); // which says what is wrong with it
      return request.call(view, (time) => {
        const now = view.performance.now();
        callback(now - time > BEHIND_MS ? now : time);
      });
    };
    for (const { contentDocument } of view.document.querySelectorAll('iframe')) {
      const inner = contentDocument?.defaultView; // none for another origin
      if (inner !== null && inner !== undefined) stamp(inner);
    }
  };
  stamp(window);
}

/** As an expression. */
export const STAMP_FRAMES = `(${stampFrames.toString()})()`;
