/**
 * Takes a frame off the page whose document was kept away. Unless it shows another: where that came first and stayed, or where the page
 * has written one itself. Runs in the page.
 */
export function hideEmptyFrame(frame: Element, keepsPlace: boolean): void {
  const shown: unknown = Reflect.get(frame, 'contentDocument');
  // By what it has: what is in a frame is no instance of this window's classes.
  const isStyled = (element: Element): element is HTMLElement => 'style' in element;
  if (!isStyled(frame)) return;
  if (frame.localName === 'object' && frame.childNodes.length > 0) return; // it shows those instead
  if (typeof shown === 'object' && shown !== null) {
    const body: unknown = Reflect.get(shown, 'body');
    const isEmpty = typeof body !== 'object' || body === null || Reflect.get(body, 'childNodes').length === 0;
    if (Reflect.get(shown, 'URL') !== 'about:blank' || !isEmpty) return;
  }
  if (keepsPlace) frame.style.setProperty('visibility', 'hidden', 'important');
  else frame.style.setProperty('display', 'none', 'important');
}
