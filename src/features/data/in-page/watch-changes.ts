import { rootsOf } from '../../../core/steps/in-page/roots-of.ts';

/**
 * Records from now on whether the page changes, including same-origin frames and open shadow trees. `haveChanged`
 * returns the result. Invisible to the page. Runs in the page.
 */
export function watchChanges(): void {
  let hasChanged = false;
  const observer = new MutationObserver(() => (hasChanged = true));
  for (const root of rootsOf())
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

/**
 * Tells whether the page has changed since `watchChanges`, and stops watching. A new document counts as a change. Runs
 * in the page.
 */
export function haveChanged(): boolean {
  const changes: unknown = Reflect.get(globalThis, 'captureChanges');
  Object.assign(globalThis, { captureChanges: undefined, captureOwnChange: undefined });
  return typeof changes !== 'function' || changes() === true;
}
