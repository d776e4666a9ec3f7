import { chosenElements } from '../../../steps/in-page/chosen-elements.ts';
import {
  documentMarkup,
  keepSource,
  markupOf,
  type SourceBounds,
  type SourcePart,
} from '../../../steps/in-page/source-part.ts';

/** Returns the markup of the document with its doctype, or the first part of a long one. Runs in the page. */
export function documentSource(bounds: SourceBounds): SourcePart {
  return keepSource(documentMarkup(), bounds);
}

/**
 * Returns the outer HTML of the chosen elements, or the first part of a long one. Null if they were removed with their
 * document. Runs in the page.
 */
export function chosenSource(bounds: SourceBounds): SourcePart | null {
  const chosen = chosenElements();
  return chosen === undefined ? null : keepSource(markupOf(...chosen), bounds);
}
