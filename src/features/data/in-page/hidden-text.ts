import { chosenElements } from '../../../core/steps/in-page/chosen-elements.ts';
import { seenCopy } from '../../markdown/in-page/visibility/seen-copy.ts';
import type { PartTaken } from './take-parts.ts';

/** Returns the texts of the page or of the chosen elements that a person can't see. Runs in the page. */
export function hiddenText(isOfElement: boolean): PartTaken {
  const { visibility } = seenCopy((isOfElement ? chosenElements() : undefined) ?? null, 'none');
  const isCut = visibility.count() > visibility.hidden.length;
  return { value: { entries: visibility.hidden, ...(isCut && { truncated: true }) } };
}
