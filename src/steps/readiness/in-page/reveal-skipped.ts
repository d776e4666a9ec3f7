import type { RootsOf } from '../../in-page/roots-of.ts';

/**
 * Lets what the browser skips while it is out of view (`content-visibility: auto`) be laid out and painted: a picture of the whole page
 * has it in view, and its guessed size would be wrong. Runs in the page.
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
