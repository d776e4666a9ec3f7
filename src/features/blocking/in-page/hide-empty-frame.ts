import { nameOf, read, setStyles, styleOf } from '../../../core/steps/in-page/nodes.ts';

/**
 * Hides a frame whose document was blocked, unless it shows another document, or one that the page has written. Runs in
 * the page.
 */
export function hideEmptyFrame(frame: Element, keepsPlace: boolean): void {
  const shown: unknown = Reflect.get(frame, 'contentDocument');
  if (styleOf(frame) === undefined) return;
  // the element shows its fallback content instead
  if (nameOf(frame) === 'object' && read(Node.prototype, frame, 'childNodes').length > 0) return;
  if (typeof shown === 'object' && shown !== null) {
    const body: unknown = Reflect.get(shown, 'body');
    const isEmpty = typeof body !== 'object' || body === null || Reflect.get(body, 'childNodes').length === 0;
    if (Reflect.get(shown, 'URL') !== 'about:blank' || !isEmpty) return;
  }
  setStyles(frame, keepsPlace ? { visibility: 'hidden' } : { display: 'none' });
}
