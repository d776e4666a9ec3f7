/**
 * Returns the height of the page. The first call also starts recording the height at print, which `atPrint` returns (0
 * before printing). Runs in the isolated world.
 */
export function rootHeight(atPrint: boolean): number {
  const KEY = 'heightAtPrint'; // property of the isolated world's window, invisible to the page
  const noted: unknown = Reflect.get(globalThis, KEY);
  if (atPrint) return typeof noted === 'number' ? noted : 0;
  if (noted === undefined) {
    Reflect.set(globalThis, KEY, 0);
    addEventListener('beforeprint', () => {
      Reflect.set(globalThis, KEY, document.querySelector(':root')?.scrollHeight ?? 0);
    });
  }
  const { body } = document;
  if (document.compatMode !== 'BackCompat' || !(body instanceof HTMLBodyElement))
    return document.querySelector(':root')?.getBoundingClientRect().height ?? 0; // pages can remove the root element
  // Without a doctype, root and body are as tall as the window, so the content is measured.
  const content = document.createRange();
  content.selectNodeContents(body);
  const { marginBottom, paddingBottom } = getComputedStyle(body);
  const end = content.getBoundingClientRect().bottom + scrollY;
  return end + Number.parseFloat(marginBottom) + Number.parseFloat(paddingBottom);
}
