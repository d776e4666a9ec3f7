/** Gives the document another title: what a printout of it is called. Runs in the page. */
export function nameDocument(title: string): void {
  const own: unknown = Reflect.get(globalThis, 'captureOwnChange'); // whoever watches for changes of the page
  if (typeof own === 'function') own();
  document.title = title;
}
