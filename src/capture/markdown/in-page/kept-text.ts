import type { ReadPart, SourceBounds, SourcePart } from '../../../steps/in-page/source-part.ts';
import type { PlainText } from './plain-text.ts';

/**
 * Returns the text of the copy that `pageMarkdown` did not finish, or its beginning. Null if there is none. Runs in the
 * page.
 */
export function keptText(
  { maxLength, partLength }: SourceBounds,
  plainText: PlainText,
  sourcePart: ReadPart,
): SourcePart | null {
  const copy: unknown = Reflect.get(globalThis, 'captureCopy');
  if (!(copy instanceof Element)) return null;
  const text = `${plainText(copy).toWellFormed()}\n`;
  Object.assign(globalThis, { captureSource: text, captureCopy: undefined });
  return { length: text.length, part: text.length > maxLength ? '' : (sourcePart(0, partLength) ?? '') };
}
