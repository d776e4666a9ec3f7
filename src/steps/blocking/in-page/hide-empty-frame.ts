/**
 * Hides a frame whose document was blocked, unless it shows another document, or one that the page has written. Runs in
 * the page.
 */
export function hideEmptyFrame(frame: Element, keepsPlace: boolean): void {
  const shown: unknown = Reflect.get(frame, 'contentDocument');
  // Checks for the property, because elements of frames are not instances of this window's classes.
  const isStyled = (element: Element): element is HTMLElement => 'style' in element;
  if (!isStyled(frame)) return;
  // the element shows its fallback content instead
  if (frame.localName === 'object' && frame.childNodes.length > 0) return;
  if (typeof shown === 'object' && shown !== null) {
    const body: unknown = Reflect.get(shown, 'body');
    const isEmpty = typeof body !== 'object' || body === null || Reflect.get(body, 'childNodes').length === 0;
    if (Reflect.get(shown, 'URL') !== 'about:blank' || !isEmpty) return;
  }
  if (keepsPlace) frame.style.setProperty('visibility', 'hidden', 'important');
  else frame.style.setProperty('display', 'none', 'important');
}
