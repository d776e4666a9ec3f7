/**
 * Scrolls down the whole page once, a screen at a time, so that pictures that load when they come near are loaded, then
 * back to the top. Bounded in height and time, as a page may grow for ever. True when it reached the end. Runs in the page.
 */
export async function scrollThrough(maxHeight: number, limitMs: number): Promise<boolean> {
  const root = document.scrollingElement ?? document.documentElement;
  const endAt = performance.now() + limitMs;
  const nextFrame = (): Promise<unknown> =>
    new Promise((resolve) => {
      requestAnimationFrame(resolve);
      setTimeout(resolve, 100); // a page may have no frames while it is busy
    });
  let complete = true;
  for (let y = 0; y < root.scrollHeight; y += innerHeight) {
    if (y > maxHeight || performance.now() > endAt) {
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
