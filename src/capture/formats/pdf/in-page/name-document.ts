import { announceOwnChange, bodyOf, computed, rootElement } from '../../../../steps/in-page/nodes.ts';

/** Sets the title of the document, which becomes the title of the PDF. Runs in the page. */
export function nameDocument(title: string): void {
  announceOwnChange();
  Reflect.set(Document.prototype, 'title', title, document);
}

/** True if the page overflows to the left. Runs in the page. */
export function isRightToLeft(): boolean {
  return [rootElement(), bodyOf(document)].some((element) => element !== null && computed(element).direction === 'rtl');
}
