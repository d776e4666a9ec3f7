/** Scrolls an element into view and lets observers and lazy pictures start. Runs in the page. */
export async function bringIntoView(element: Element): Promise<void> {
  const nextFrame = (): Promise<unknown> =>
    new Promise((resolve) => {
      requestAnimationFrame(resolve);
      setTimeout(resolve, 100); // a busy page may have no frames
    });
  element.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
  await nextFrame();
  await nextFrame(); // observers run in the first frame, and their effects are drawn in the second
}
