import type { SourceBounds, SourcePart } from '../../../steps/in-page/source-part.ts';

/** Returns the outer HTML of an element, or the first part of a long one. Runs in the page. */
export function elementSource(element: Element, { maxLength, partLength }: SourceBounds): SourcePart {
  const text = element.outerHTML;
  if (text.length > maxLength) return { length: text.length, part: '' };
  Object.assign(globalThis, { captureSource: text.length > partLength ? text : undefined });
  const isSplit = (text.charCodeAt(partLength - 1) & 0xfc00) === 0xd800;
  return { length: text.length, part: text.slice(0, isSplit ? partLength - 1 : partLength) };
}
