import { rootElement } from '../../in-page/nodes.ts';

/**
 * Resolves after an animation frame in which all intersection observers were notified. Observers are notified together,
 * in order of creation, so ours is last. Runs in the page.
 */
export async function waitForObservers(): Promise<void> {
  const root = rootElement();
  if (root === null) return;
  await new Promise<void>((resolve) => {
    const observer = new IntersectionObserver(() => {
      observer.disconnect();
      resolve();
    });
    observer.observe(root);
  });
}
