const MOST_TEXT = 2_000;

/** Returns the number of changes of the page since the first call. Runs in the page. */
export function countChanges(): number {
  const KEY = 'captureChanges'; // property of the isolated world's window, invisible to the page
  const counted: unknown = Reflect.get(globalThis, KEY);
  if (typeof counted === 'number') return counted;
  Reflect.set(globalThis, KEY, 0);
  const observer = new MutationObserver((records) => {
    Reflect.set(globalThis, KEY, Number(Reflect.get(globalThis, KEY)) + records.length);
  });
  observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
  return 0;
}

/** True if the page has fewer characters than this, and no picture. Runs in the page. */
export function isBeginning(leastText: number): boolean {
  const body: unknown = Reflect.get(Document.prototype, 'body', document);
  if (!(body instanceof HTMLElement)) return true;
  const text = Reflect.get(HTMLElement.prototype, 'innerText', body).slice(0, MOST_TEXT);
  const picture = Document.prototype.querySelector.call(document, 'img, picture, video, canvas, svg, iframe, object');
  return picture === null && text.replaceAll(/\s+/g, '').length < leastText;
}
