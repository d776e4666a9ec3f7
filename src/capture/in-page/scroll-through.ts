interface ScrollBounds {
  /** True when a script has run in the page that is not in its document. */
  readonly isScripted: boolean;
  /** Nothing below this is asked for: to come here is to be through. */
  readonly cutAt: number;
  readonly maxHeight: number;
  readonly maxGrowth: number;
  readonly limitMs: number;
}

/**
 * Scrolls down the whole page once, a screen at a time, so that what loads when it comes near is loaded, then back to the top. Where
 * nothing can notice a scroll there is none: it takes two frames a screen, most of the time of a long invoice.
 * Bounded in height, growth (CSS pixels) and time, as a page may grow for ever. True when it got through. Runs in the page.
 */
export async function scrollThrough(
  { isScripted, cutAt, maxHeight, maxGrowth, limitMs }: ScrollBounds,
  canAct: () => boolean,
): Promise<boolean> {
  const root = document.scrollingElement ?? document.documentElement;
  const endAt = performance.now() + limitMs;
  const nextFrame = (): Promise<unknown> =>
    new Promise((resolve) => {
      requestAnimationFrame(resolve);
      setTimeout(resolve, 100); // a page may have no frames while it is busy
    });
  // Those that no scrolling brings near (in a carousel, or not shown yet) would be waited for in vain.
  for (const lazy of document.querySelectorAll('[loading="lazy" i]')) lazy.setAttribute('loading', 'eager');
  if (root.scrollHeight <= innerHeight || !(isScripted || canAct())) return true;

  const stopAt = Math.min(maxHeight, root.scrollHeight + maxGrowth);
  let complete = true;
  for (let y = 0; y < Math.min(root.scrollHeight, cutAt); y += innerHeight) {
    if (y > stopAt || performance.now() > endAt) {
      complete = false;
      break;
    }
    root.scrollTo({ top: y, behavior: 'instant' });
    await nextFrame();
    await nextFrame(); // the observers of the first frame run before the second
  }
  root.scrollTo({ top: 0, behavior: 'instant' });
  await nextFrame();
  return complete;
}
