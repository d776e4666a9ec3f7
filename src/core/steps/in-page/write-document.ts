/** Replaces the blank page by the markup. Runs in the page. */
export function writeDocument(markup: string): void {
  document.open();
  document.write(markup);
  document.close();
}
