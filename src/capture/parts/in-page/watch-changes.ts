import type { RootsOf } from '../../../steps/in-page/roots-of.ts';

/**
 * Notes from here on whether the page changes, in its frames of the same origin and its open shadow trees too: `haveChanged` tells. The
 * page sees nothing of it. Runs in the page.
 */
export function watchChanges(rootsOf: RootsOf): void {
  let hasChanged = false;
  const observer = new MutationObserver(() => {
    hasChanged = true;
  });
  for (const root of rootsOf(document))
    observer.observe(root, { subtree: true, childList: true, attributes: true, characterData: true });
  const look = (): void => {
    if (observer.takeRecords().length > 0) hasChanged = true;
  };
  Object.assign(globalThis, {
    captureChanges: () => {
      look();
      observer.disconnect();
      return hasChanged;
    },
    // What follows in this turn is our own doing.
    captureOwnChange: () => {
      look();
      queueMicrotask(() => void observer.takeRecords());
    },
  });
}
