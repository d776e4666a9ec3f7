/** The element's outer HTML. Runs in the page. */
export function elementSource(element: Element): string {
  return element.outerHTML;
}
