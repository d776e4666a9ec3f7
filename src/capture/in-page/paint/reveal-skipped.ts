/**
 * Lets what the browser skips while it is out of view (`content-visibility: auto`) be laid out and painted, in open shadow trees
 * too: a picture of the whole page has it in view, and its guessed size would be wrong. Runs in the page.
 */
export function revealSkipped(): void {
  const reveal = (root: Document | ShadowRoot): void => {
    for (const element of root.querySelectorAll('*')) {
      if (element.shadowRoot !== null) reveal(element.shadowRoot);
      if (!(element instanceof HTMLElement)) continue;
      if (getComputedStyle(element).contentVisibility !== 'auto') continue;
      element.style.setProperty('content-visibility', 'visible', 'important');
    }
  };
  reveal(document);
}
