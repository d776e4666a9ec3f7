import type { RootsOf } from './roots-of.ts';

/**
 * Resolves when no visible element matches in the document, its open shadow trees or same-origin frames. Polls every 50
 * ms, and less often on large pages, because styles change without a mutation of the document. Runs in the page for as
 * long as the caller waits.
 */
export async function waitUntilHidden(selector: string, rootsOf: RootsOf): Promise<void> {
  const isVisible = (element: Element): boolean => {
    if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) return false;
    return [...element.getClientRects()].some(({ width, height }) => width > 0 && height > 0);
  };
  const isAnywhere = (): boolean => {
    for (const root of rootsOf(document)) if ([...root.querySelectorAll(selector)].some(isVisible)) return true;
    return false;
  };
  while (isAnywhere()) {
    const elements = document.getElementsByTagName('*').length;
    // Does not use setTimeout, which never fires if scripts of the page are disabled.
    const soon = AbortSignal.timeout(Math.max(50, elements / 100));
    await new Promise((resolve) => soon.addEventListener('abort', resolve, { once: true }));
  }
}
