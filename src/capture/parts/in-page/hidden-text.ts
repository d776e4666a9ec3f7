import { keptElement } from '../../markdown/in-page/keep-element.ts';
import { openVisibility } from '../../markdown/in-page/visibility/open-visibility.ts';
import { visibleCopy } from '../../markdown/in-page/visible-copy.ts';
import type { PartTaken } from './take-parts.ts';

/** Returns the texts of the page or of one element that a person can't see. Runs in the page. */
export function hiddenText(isOfElement: boolean): PartTaken {
  const visibility = openVisibility();
  visibleCopy((isOfElement ? keptElement() : undefined) ?? null, { shown: visibility.shown });
  visibility.end();
  const isCut = visibility.count() > visibility.hidden.length;
  return { value: { entries: visibility.hidden, ...(isCut && { truncated: true }) } };
}
