/** True if the browser accepts the text as a CSS selector. Runs in the page. */
export function isSelector(selector: string): boolean {
  try {
    document.createDocumentFragment().querySelector(selector);
    return true;
  } catch {
    return false;
  }
}
