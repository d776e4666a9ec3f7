import { scrollToMiddle } from './nodes.ts';

/** Scrolls an element into view and lets observers and lazy pictures start. Runs in the page. */
export async function bringIntoView(element: Element): Promise<void> {
  scrollToMiddle(element);
  await nextFrame();
  await nextFrame(); // observers run in the first frame, and their effects are drawn in the second
}

function nextFrame(): Promise<unknown> {
  return new Promise((resolve) => {
    requestAnimationFrame(resolve);
    setTimeout(resolve, 100); // a busy page may have no frames
  });
}
