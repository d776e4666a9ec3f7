import { cut, documentMarkup, markupOf } from '../../../core/steps/in-page/source-part.ts';
import { chosenElements } from '../../../core/steps/in-page/chosen-elements.ts';
import type { PartTaken } from './take-parts.ts';

/** Returns the markup of the document, or of the chosen elements, up to a length. Runs in the page. */
export function pageSource(isOfElement: boolean, maxLength: number): PartTaken {
  const chosen = isOfElement ? chosenElements() : undefined;
  if (isOfElement && chosen === undefined) return { value: { text: '', truncated: true } };
  const text = chosen === undefined ? documentMarkup() : markupOf(...chosen);
  return { value: { text: cut(text, maxLength), ...(text.length > maxLength && { truncated: true }) } };
}
