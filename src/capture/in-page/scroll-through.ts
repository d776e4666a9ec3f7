/**
 * Scrolls down the whole page once, a screen at a time, so that what loads when it comes near is loaded, then back to the top.
 * Bounded in height, growth and time, as a page may grow for ever. True when it reached the end. Runs in the page.
 */
export async function scrollThrough(maxHeight: number, maxGrowth: number, limitMs: number): Promise<boolean> {
  const root = document.scrollingElement ?? document.documentElement;
  const endAt = performance.now() + limitMs;
  const nextFrame = (): Promise<unknown> =>
    new Promise((resolve) => {
      requestAnimationFrame(resolve);
      setTimeout(resolve, 100); // a page may have no frames while it is busy
    });
  // Those that no scrolling brings near (in a carousel, or not shown yet) would be waited for in vain.
  for (const lazy of document.querySelectorAll('[loading="lazy" i]')) lazy.setAttribute('loading', 'eager');
  if (root.scrollHeight <= innerHeight) return true;

  const stopAt = Math.min(maxHeight, root.scrollHeight + maxGrowth);
  let complete = true;
  for (let y = 0; y < root.scrollHeight; y += innerHeight) {
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
