/**
 * Scrolls whatever must be scrolled for the element to come into view, and lets what waits for that (observers, lazy pictures)
 * begin. Runs in the page.
 */
export async function bringIntoView(element: Element): Promise<void> {
  const nextFrame = (): Promise<unknown> =>
    new Promise((resolve) => {
      requestAnimationFrame(resolve);
      setTimeout(resolve, 100); // a page may have no frames while it is busy
    });
  element.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
  await nextFrame();
  await nextFrame(); // the observers of the first frame run before the second
}
