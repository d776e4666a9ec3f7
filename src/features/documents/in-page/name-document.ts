import { announceOwnChange } from '../../../core/steps/in-page/nodes.ts';

/** Sets the title of the document, which becomes the title of the PDF. Runs in the page. */
export function nameDocument(title: string): void {
  announceOwnChange();
  Reflect.set(Document.prototype, 'title', title, document);
}
