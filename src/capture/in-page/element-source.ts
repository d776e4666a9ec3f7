/** The outer HTML of the first match; undefined when there is none. Runs in the page. */
export function elementSource(selector: string): string | undefined {
  return document.querySelector(selector)?.outerHTML;
}
