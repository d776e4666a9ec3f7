/** Sets the title of the document, which becomes the title of the PDF. Runs in the page. */
export function nameDocument(title: string): void {
  const own: unknown = Reflect.get(globalThis, 'captureOwnChange'); // tells `watchChanges` that this change is ours
  if (typeof own === 'function') own();
  document.title = title;
}
