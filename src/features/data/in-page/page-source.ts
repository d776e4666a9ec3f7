import { cut, documentMarkup, markupOf } from '../../../core/steps/in-page/source-part.ts';
import { keptElement } from '../../markdown/in-page/keep-element.ts';
import type { PartTaken } from './take-parts.ts';

/**
 * Returns the markup of the document, or of the element that `keepElement` has stored, up to a length. Runs in the
 * page.
 */
export function pageSource(isOfElement: boolean, maxLength: number): PartTaken {
  const kept = isOfElement ? keptElement() : undefined;
  if (isOfElement && kept === undefined) return { value: { text: '', truncated: true } };
  const text = kept === undefined ? documentMarkup() : markupOf(kept);
  return { value: { text: cut(text, maxLength), ...(text.length > maxLength && { truncated: true }) } };
}
