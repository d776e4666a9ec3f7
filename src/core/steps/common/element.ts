import type { Handle } from '../../browser/page/evaluate.ts';
import type { Page } from '../../browser/page/page.ts';
import { ServiceError } from '../../ground/errors.ts';
import { chooseElements } from '../in-page/chosen-elements.ts';
import { elementBox } from '../in-page/element-box.ts';
import { findElement } from '../in-page/find-element.ts';
import type { Box } from '../in-page/placement.ts';

/** Maximum number of matches of `selector_all` whose texts are read. */
const MOST_CHOSEN = 10_000;

/** The element that a request selects. */
export interface VisibleElement {
  readonly handle: Handle;
  readonly box: Box;
}

/**
 * Returns the first match of the selector. With `isSeen`, its box is what a person sees of it; otherwise, it may be
 * scrolled out of view or folded.
 * @throws ServiceError ElementNotFoundError if there is none, or it is invisible
 */
export async function findVisible(
  page: Page,
  selector: string,
  { isSeen }: { readonly isSeen: boolean } = { isSeen: false },
): Promise<VisibleElement> {
  const handle = await page.evaluateHandle(findElement, selector);
  const box = handle === undefined ? undefined : await page.callOn(handle, elementBox, isSeen);
  if (handle !== undefined && box !== undefined) return { handle, box };
  throw notFound(selector);
}

/**
 * Chooses the first match of the selector, or all of them, for the scripts that read `chosenElements`.
 * @throws ServiceError ElementNotFoundError if there is none, or none is visible
 */
export async function chooseVisible(
  page: Page,
  { selector, selector_all: isAll }: { readonly selector: string; readonly selector_all: boolean },
): Promise<void> {
  if (!(await page.evaluate(chooseElements, selector, isAll ? MOST_CHOSEN : 1))) throw notFound(selector);
}

function notFound(selector: string): ServiceError {
  const details = `selector: no visible element matches ${selector}`;
  return new ServiceError('ElementNotFoundError', undefined, { details });
}
