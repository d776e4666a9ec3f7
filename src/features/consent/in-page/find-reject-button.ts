import { all, attribute, matches, read } from '../../../core/steps/in-page/nodes.ts';

/** Returns the meaning of a button by its label. */
export type KindOf = (label: string) => 'reject' | 'settings' | 'accept' | 'acknowledge' | 'other';

/** The buttons of an overlay that may be a cookie banner. */
interface BannerButtons {
  /** The first button with a meaning: the banner surrounds it. Undefined if there is none. */
  readonly first: HTMLElement | undefined;
  /** Returns the first reject button that is part of the banner. Undefined if there is none. */
  readonly reject: (isInBanner: (button: HTMLElement) => boolean) => HTMLElement | undefined;
}

interface Meanings {
  readonly kindOf: KindOf;
  /** True if the text of the overlay states that the site uses cookies. Then any button counts. */
  readonly statesCookieUse: boolean;
}

/**
 * Finds the buttons of an overlay by their labels, and the reject button among them. `trees` are the overlay and its
 * shadow trees and frames. Runs in the page.
 */
export function findRejectButton(
  trees: readonly (HTMLElement | Document | ShadowRoot)[],
  { kindOf, statesCookieUse }: Meanings,
  isSeen: (element: Element) => boolean,
): BannerButtons {
  const MAX_BUTTONS = 100;
  const BUTTONS =
    'button, input[type="button"], input[type="submit"], a, [role="button"], [class*="button"], [class*="btn"], [onclick]';

  const isButton = (element: HTMLElement): boolean =>
    isSeen(element) && !leadsAway(element) && !matches(element, ':disabled');
  const found = trees.flatMap((tree) => all<HTMLElement>(tree, BUTTONS));
  const outer = found.slice(0, MAX_BUTTONS).filter(isButton);
  const innermost = outer.filter(
    (each) => !outer.some((other) => other !== each && Node.prototype.contains.call(each, other)),
  );
  const buttons = innermost
    .map((button) => ({ button, kind: kindOf(labelOf(button)) }))
    .filter(({ kind }) => statesCookieUse || kind !== 'other');
  return {
    first: buttons[0]?.button,
    reject: (isInBanner) => buttons.find(({ button, kind }) => kind === 'reject' && isInBanner(button))?.button,
  };
}

/** Links to other pages don't count: a table of contents may lie over an article about cookies. */
function leadsAway(element: Element): boolean {
  if (!(element instanceof HTMLAnchorElement) || attribute(element, 'href') === null) return false;
  if (element.protocol === 'javascript:') return false;
  if (element.origin !== location.origin || element.pathname !== location.pathname) return true;
  return element.hash.length > 1 && Document.prototype.getElementById.call(document, element.hash.slice(1)) !== null;
}

function labelOf(button: HTMLElement): string {
  const label = button instanceof HTMLInputElement ? button.value : read(HTMLElement.prototype, button, 'innerText');
  return label.trim() || (attribute(button, 'aria-label') ?? '');
}
