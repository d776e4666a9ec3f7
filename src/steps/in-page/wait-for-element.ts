import type { RootsOf } from './roots-of.ts';

/**
 * Resolves once an element that matches is in the document, in one of its open shadow trees or in a frame of the same origin. The document
 * tells of its changes; the others are asked every 50 ms, and large pages less often, as a walk through all of them takes its time. Runs
 * in the page, for as long as the caller waits.
 */
export function waitForElement(selector: string, rootsOf: RootsOf): Promise<void> {
  const isAnywhere = (): boolean => {
    for (const root of rootsOf(document)) if (root.querySelector(selector) !== null) return true;
    return false;
  };
  return new Promise((resolve) => {
    let timer: number | undefined;
    const end = (): void => {
      observer.disconnect();
      clearTimeout(timer);
      resolve();
    };
    const observer = new MutationObserver(() => {
      if (document.querySelector(selector) !== null) end();
    });
    const look = (): void => {
      if (isAnywhere()) {
        end();
        return;
      }
      const elements = document.getElementsByTagName('*').length;
      timer = window.setTimeout(look, Math.max(50, elements / 100));
    };
    observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
    look();
  });
}
