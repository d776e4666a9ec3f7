/** Stores the selected element for `page-markdown.ts`, the next script in the isolated world. Runs in the page. */
export function keepElement(element: Element): void {
  Object.assign(globalThis, { captureElement: element });
}
