import { all, boxesOf, first, isRendered } from './nodes.ts';
import { everywhere } from './roots-of.ts';
import { findElement } from './find-element.ts';

/** Milliseconds until the next search: less often on large pages. */
function pause(): number {
  return Math.max(50, all(document, '*').length / 100);
}

/**
 * Resolves when an element matches in the document, its open shadow trees or same-origin frames. Observes the document;
 * polls the others every 50 ms, and less often on large pages. Runs in the page for as long as the caller waits.
 */
export function waitForElement(selector: string): Promise<void> {
  return new Promise((resolve) => {
    let hasEnded = false;
    const end = (): void => {
      hasEnded = true;
      observer.disconnect();
      resolve();
    };
    const observer = new MutationObserver(() => {
      if (first(document, selector) !== null) end();
    });
    const check = (): void => {
      if (hasEnded) return;
      if (findElement(selector) !== null) {
        end();
        return;
      }
      // Does not use setTimeout, which never fires if scripts of the page are disabled.
      AbortSignal.timeout(pause()).addEventListener('abort', check, { once: true });
    };
    observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
    check();
  });
}

/**
 * Resolves when no visible element matches in the document, its open shadow trees or same-origin frames. Polls, because
 * styles change without a mutation of the document. Runs in the page for as long as the caller waits.
 */
export async function waitUntilHidden(selector: string): Promise<void> {
  while (everywhere(selector).some(isVisible)) {
    const soon = AbortSignal.timeout(pause());
    await new Promise((resolve) => soon.addEventListener('abort', resolve, { once: true }));
  }
}

function isVisible(element: Element): boolean {
  return isRendered(element, { opacityProperty: true, visibilityProperty: true }) && boxesOf(element).length > 0;
}
