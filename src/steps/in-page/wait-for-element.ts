import type { RootsOf } from './roots-of.ts';

/**
 * Resolves when an element matches in the document, its open shadow trees or same-origin frames. Observes the document;
 * polls the others every 50 ms, and less often on large pages. Runs in the page for as long as the caller waits.
 */
export function waitForElement(selector: string, rootsOf: RootsOf): Promise<void> {
  const isAnywhere = (): boolean => {
    for (const root of rootsOf(document)) if (root.querySelector(selector) !== null) return true;
    return false;
  };
  return new Promise((resolve) => {
    let hasEnded = false;
    const end = (): void => {
      hasEnded = true;
      observer.disconnect();
      resolve();
    };
    const observer = new MutationObserver(() => {
      if (document.querySelector(selector) !== null) end();
    });
    const check = (): void => {
      if (hasEnded) return;
      if (isAnywhere()) {
        end();
        return;
      }
      const elements = document.getElementsByTagName('*').length;
      // Does not use setTimeout, which never fires if scripts of the page are disabled.
      AbortSignal.timeout(Math.max(50, elements / 100)).addEventListener('abort', check, { once: true });
    };
    observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
    check();
  });
}
