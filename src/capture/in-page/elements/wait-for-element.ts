/** Resolves once an element that matches is in the document. Runs in the page, for as long as the caller waits. */
export function waitForElement(selector: string): Promise<void> {
  return new Promise((resolve) => {
    if (document.querySelector(selector) !== null) {
      resolve();
      return;
    }
    const observer = new MutationObserver(() => {
      if (document.querySelector(selector) === null) return;
      observer.disconnect();
      resolve();
    });
    observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
  });
}
