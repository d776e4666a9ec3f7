import type { SourceBounds, SourcePart } from '../../../steps/in-page/source-part.ts';

/** Returns the markup of the document with its doctype, or the first part of a long one. Runs in the page. */
export function documentSource({ maxLength, partLength }: SourceBounds): SourcePart {
  const doctype = document.doctype === null ? '' : `${new XMLSerializer().serializeToString(document.doctype)}\n`;
  const root = document.querySelector(':root'); // pages can remove the root element
  const text = doctype + (root?.outerHTML ?? '');
  if (text.length > maxLength) return { length: text.length, part: '' };
  Object.assign(globalThis, { captureSource: text.length > partLength ? text : undefined });
  const isSplit = (text.charCodeAt(partLength - 1) & 0xfc00) === 0xd800;
  return { length: text.length, part: text.slice(0, isSplit ? partLength - 1 : partLength) };
}
