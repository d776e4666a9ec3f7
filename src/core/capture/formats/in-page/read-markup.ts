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

/** Returns the outer HTML of an element, or the first part of a long one. Runs in the page. */
export function elementSource(element: Element, bounds: SourceBounds): SourcePart {
  return keepSource(markupOf(element), bounds);
}
