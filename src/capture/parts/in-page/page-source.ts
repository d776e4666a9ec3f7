import type { PartTaken } from './part-taken.ts';

/**
 * Returns the markup of the document, or of the element that `keepElement` has stored, up to a length. Runs in the
 * page.
 */
export function pageSource(isOfElement: boolean, maxLength: number): PartTaken {
  const kept: unknown = Reflect.get(globalThis, 'captureElement');
  // Elements of frames are not instances of this window's classes.
  const isElement = (value: unknown): value is Element =>
    typeof value === 'object' && value !== null && 'outerHTML' in value;
  if (isOfElement && !isElement(kept)) return { value: { text: '', truncated: true } };
  const doctype =
    isOfElement || document.doctype === null ? '' : `${new XMLSerializer().serializeToString(document.doctype)}\n`;
  // pages can remove the root element
  const root = isOfElement && isElement(kept) ? kept : document.querySelector(':root');
  const text = doctype + (root?.outerHTML ?? '');
  if (text.length <= maxLength) return { value: { text } };
  const isSplit = (text.charCodeAt(maxLength - 1) & 0xfc00) === 0xd800;
  return { value: { text: text.slice(0, isSplit ? maxLength - 1 : maxLength), truncated: true } };
}
