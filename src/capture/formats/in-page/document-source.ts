import type { SourceBounds, SourcePart } from '../../../steps/in-page/source-part.ts';

/** The document as it stands, doctype included, or its beginning. Runs in the page. */
export function documentSource({ maxLength, partLength }: SourceBounds): SourcePart {
  const doctype =
    document.doctype === null ? '' : `${new XMLSerializer().serializeToString(document.doctype)}\n`;
  const root = document.querySelector(':root'); // pages may take theirs away
  const text = doctype + (root?.outerHTML ?? '');
  if (text.length > maxLength) return { length: text.length, part: '' };
  Object.assign(globalThis, { captureSource: text.length > partLength ? text : undefined });
  const isSplit = (text.charCodeAt(partLength - 1) & 0xfc00) === 0xd800;
  return { length: text.length, part: text.slice(0, isSplit ? partLength - 1 : partLength) };
}
