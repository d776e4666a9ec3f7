/**
 * How tall the page is, whatever the window. Once called, what the page makes of itself when it is about to be printed is noted too:
 * `atPrint` asks for that instead, 0 before it was. Runs in the page, in our world.
 */
export function rootHeight(atPrint: boolean): number {
  const KEY = 'heightAtPrint'; // on our world's window: the page does not see it
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
    return document.querySelector(':root')?.getBoundingClientRect().height ?? 0; // a page may remove its root
  // Without a doctype, root and body are as tall as the window: what is in them counts.
  const content = document.createRange();
  content.selectNodeContents(body);
  const { marginBottom, paddingBottom } = getComputedStyle(body);
  const end = content.getBoundingClientRect().bottom + scrollY;
  return end + Number.parseFloat(marginBottom) + Number.parseFloat(paddingBottom);
}
