/**
 * Whether the page may do anything when it is seen or scrolled: it has scripts, or documents within it that may. Not for scripts
 * that came from outside. Runs in the page.
 */
export function canAct(): boolean {
  return (
    document.querySelector('script, iframe, frame, object, embed') !== null ||
    document.evaluate(
      '//@*[starts-with(local-name(), "on")]',
      document,
      null,
      XPathResult.ANY_UNORDERED_NODE_TYPE,
    ).singleNodeValue !== null ||
    [...document.querySelectorAll('*')].some(({ shadowRoot }) => shadowRoot !== null) ||
    // One that has taken itself out of the document.
    performance
      .getEntriesByType('resource')
      .some((entry) => 'initiatorType' in entry && entry.initiatorType === 'script')
  );
}
