/** Keeps an element for the next script that runs in our world. Runs in the page. */
export function keepElement(element: Element): void {
  Object.assign(globalThis, { captureElement: element });
}
