/** Gives the document another title: what a printout of it is called. Runs in the page. */
export function nameDocument(title: string): void {
  document.title = title;
}
