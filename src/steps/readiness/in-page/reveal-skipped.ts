import type { RootsOf } from '../../in-page/roots-of.ts';

/**
 * Lays out and paints content that the browser skips while it is out of view (`content-visibility: auto`). A full-page
 * picture shows it, and its estimated size would be wrong. Runs in the page.
 */
export function revealSkipped(rootsOf: RootsOf): void {
  const isStyled = (element: Element): element is HTMLElement => 'style' in element;
  for (const root of rootsOf(document)) {
    for (const element of root.querySelectorAll('*')) {
      if (!isStyled(element) || getComputedStyle(element).contentVisibility !== 'auto') continue;
      element.style.setProperty('content-visibility', 'visible', 'important');
    }
  }
}
