import type { RootsOf } from '../../../steps/in-page/roots-of.ts';

/**
 * Records from now on whether the page changes, including same-origin frames and open shadow trees. `haveChanged`
 * returns the result. Invisible to the page. Runs in the page.
 */
export function watchChanges(rootsOf: RootsOf): void {
  let hasChanged = false;
  const observer = new MutationObserver(() => (hasChanged = true));
  for (const root of rootsOf(document))
    observer.observe(root, { subtree: true, childList: true, attributes: true, characterData: true });
  const noteChanges = (): void => {
    if (observer.takeRecords().length > 0) hasChanged = true;
  };
  Object.assign(globalThis, {
    captureChanges: () => {
      noteChanges();
      observer.disconnect();
      return hasChanged;
    },
    // Changes in this turn of the event loop are our own.
    captureOwnChange: () => {
      noteChanges();
      queueMicrotask(() => void observer.takeRecords());
    },
  });
}
