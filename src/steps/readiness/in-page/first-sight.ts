/**
 * Resolves once the page has had a frame and everything in it that waits to be seen was told so. All observers of a page are told of a
 * frame in one go, those that were there first before ours. Runs in the page.
 */
export async function firstSight(): Promise<void> {
  const root = document.querySelector(':root'); // pages may take theirs away
  if (root === null) return;
  await new Promise<void>((resolve) => {
    const observer = new IntersectionObserver(() => {
      observer.disconnect();
      resolve();
    });
    observer.observe(root);
  });
}
