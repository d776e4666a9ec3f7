import { z } from 'zod';
import { validationError } from '../ground/errors.ts';
import { booleanField, fieldsOf, integerField, textField } from './common/fields.ts';
import { isSelector } from './in-page/find-element.ts';
import type { Page } from '../browser/page/page.ts';
import type { Step } from './common/step.ts';
import type { viewport } from './viewport.ts';

export const MAX_SELECTOR_LENGTH = 1_024;
/** Maximum number of pictures of `selector_each`. */
export const MOST_EACH = 50;

const CLIP_ERROR = 'must be an object with x, y, width and height in CSS pixels, width and height above 0';
const offset = z.number({ error: CLIP_ERROR }).min(0, { error: CLIP_ERROR }).max(1_000_000, { error: CLIP_ERROR });
const extent = offset.gt(0, { error: CLIP_ERROR });
const clipField = z.strictObject({ x: offset, y: offset, width: extent, height: extent }, { error: CLIP_ERROR }).meta({
  description: 'Capture only this rectangle of the whole page, in CSS pixels',
  example: { x: 0, y: 100, width: 640, height: 360 },
});

const schema = fieldsOf('area', {
  full_page: booleanField({ description: 'Capture the whole scrollable page', example: true }).default(false),
  full_page_scroll: booleanField({
    description: 'Scroll through a full page before the capture, so that lazy content loads',
    example: false,
  }).default(true),
  full_page_max_height: integerField(
    { min: 1, max: 1_000_000 },
    { description: 'Maximum height of a full-page picture, in CSS pixels', example: 10000 },
  ).optional(),
  clip: clipField.optional(),
  selector: textField(MAX_SELECTOR_LENGTH, {
    description: 'Capture only the first element that matches this CSS selector',
    example: '#main',
  }).optional(),
  selector_all: booleanField({
    description:
      'Capture all matches of `selector`: the smallest area of the page that contains them, or the HTML or Markdown of each',
    example: true,
  }).default(false),
  selector_each: booleanField({
    description: `Capture each match of \`selector\`: a picture of its own for each of the first ${MOST_EACH}. The answer is JSON with \`elements\`, also without \`response_type\``,
    example: true,
  }).default(false),
  selector_padding: integerField(
    { min: 0, max: 500 },
    { description: 'Room around the area of `selector`, in CSS pixels, as far as the page reaches', example: 20 },
  ).default(0),
});

/** The part of the page to capture. Before load, only the syntax of the selector can be checked. */
export const area: Step<typeof schema> = {
  name: 'area',
  schema,
  apply: async (page, options) => {
    if (options.selector === undefined) return;
    await checkSelector(page, 'selector', options.selector);
  },
};

/**
 * Checks with the browser, on the blank page, whether a selector is valid.
 * @throws ServiceError ValidationError that names the field
 */
export async function checkSelector(page: Page, field: string, selector: string): Promise<void> {
  if (await page.evaluate(isSelector, selector)) return;
  throw validationError(`${field}: must be a valid CSS selector`);
}

/** True for a rectangle that is not all in the first window. */
export function isBelowWindow({
  clip,
  selector,
  window_width: width,
  window_height: height,
}: z.output<typeof schema> & z.output<typeof viewport.schema>): boolean {
  if (clip === undefined || selector !== undefined) return false;
  return clip.y + clip.height > height || clip.x + clip.width > width;
}

/** Options that a comparison adds to a capture. */
export interface ComparedOptions {
  /** Selectors of elements whose boxes the comparison leaves out. */
  readonly maskedSelectors?: readonly string[];
}
