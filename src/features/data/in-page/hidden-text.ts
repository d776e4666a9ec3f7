import { keptElement } from '../../markdown/in-page/keep-element.ts';
import { seenCopy } from '../../markdown/in-page/visibility/seen-copy.ts';
import type { PartTaken } from './take-parts.ts';

/** Returns the texts of the page or of one element that a person can't see. Runs in the page. */
export function hiddenText(isOfElement: boolean): PartTaken {
  const { visibility } = seenCopy((isOfElement ? keptElement() : undefined) ?? null, 'none');
  const isCut = visibility.count() > visibility.hidden.length;
  return { value: { entries: visibility.hidden, ...(isCut && { truncated: true }) } };
}
