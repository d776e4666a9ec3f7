/**
 * True if the page may react to being displayed or scrolled: it has scripts, or child documents that may have. Does not
 * see scripts that were injected. Runs in the page.
 */
export function canAct(): boolean {
  return (
    document.querySelector('script, iframe, frame, object, embed') !== null ||
    document.evaluate('//@*[starts-with(local-name(), "on")]', document, null, XPathResult.ANY_UNORDERED_NODE_TYPE)
      .singleNodeValue !== null ||
    [...document.querySelectorAll('*')].some(({ shadowRoot }) => shadowRoot !== null) ||
    // Detects a script that removed itself from the document.
    performance
      .getEntriesByType('resource')
      .some((entry) => 'initiatorType' in entry && entry.initiatorType === 'script')
  );
}
