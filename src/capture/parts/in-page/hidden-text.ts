import type { AddressResolver } from '../../markdown/in-page/address-resolver.ts';
import type { ElementCopier } from '../../markdown/in-page/element-copier.ts';
import type { VisibilityTools } from '../../markdown/in-page/visibility/open-visibility.ts';
import type { VisibleCopy } from '../../markdown/in-page/visible-copy.ts';
import type { PartTaken } from './part-taken.ts';

/** Returns the texts of the page or of one element that a person can't see. Runs in the page. */
export function hiddenText(
  isOfElement: boolean,
  elementCopier: ElementCopier,
  addressResolver: AddressResolver,
  visibleCopy: VisibleCopy,
  ...[openVisibility, ...tools]: VisibilityTools
): PartTaken {
  const kept: unknown = isOfElement ? Reflect.get(globalThis, 'captureElement') : null;
  // Elements of frames are not instances of this window's classes.
  const isElement = (value: unknown): value is Element =>
    typeof value === 'object' && value !== null && 'nodeType' in value;
  const visibility = openVisibility(...tools);
  visibleCopy(isElement(kept) ? kept : null, elementCopier, addressResolver, visibility.shown);
  visibility.end();
  const { hidden, count } = visibility;
  return { value: { entries: hidden, ...(count() > hidden.length && { truncated: true }) } };
}
