import { z } from 'zod';
import { ServiceError, validationError } from '../../errors.ts';
import { booleanField, textField } from '../fields.ts';
import { isSelector } from '../in-page/is-selector.ts';
import type { Page } from '../../browser/page.ts';
import type { Step } from '../step.ts';

export const MAX_SELECTOR_LENGTH = 1_024;

const schema = z.object({
  full_page: booleanField({ description: 'Capture the whole scrollable page', example: true }).default(false),
  selector: textField(MAX_SELECTOR_LENGTH, {
    description: 'Capture only the first element that matches this CSS selector',
    example: '#main',
  }).optional(),
});

/** Which part of the page is captured. Before the page is loaded only the selector's form can be checked. */
export const area: Step<typeof schema> = {
  name: 'area',
  schema,
  apply: async (page, options) => {
    if (options.selector === undefined) return;
    await checkSelector(page, 'selector', options.selector);
  },
};

/**
 * Asks the browser itself whether a selector is valid, on the blank page.
 * @throws ServiceError ValidationError naming the field.
 */
export async function checkSelector(page: Page, field: string, selector: string): Promise<void> {
  if (await page.evaluate(isSelector, selector)) return;
  throw validationError(`${field}: must be a valid CSS selector`);
}

/** The error for a selector without a visible match. */
export function elementNotFound(selector: string): ServiceError {
  return new ServiceError('ElementNotFoundError', undefined, {
    details: `selector: no visible element matches ${selector}`,
  });
}
