import { z } from 'zod';
import { booleanField, fieldsOf, textField } from './common/fields.ts';
import { adoptRulesOfClient } from './in-page/adopt-style-sheet.ts';
import type { Step } from './common/step.ts';
import { checkSelector, MAX_SELECTOR_LENGTH } from './area.ts';

const MAX_SELECTORS = 100;
const MAX_CSS_LENGTH = 102_400;

const LIST_ERROR = `must be a list of at most ${MAX_SELECTORS} CSS selectors`;

const schema = fieldsOf('look', {
  hide_selectors: z
    .array(textField(MAX_SELECTOR_LENGTH, { description: 'A CSS selector' }), { error: LIST_ERROR })
    .max(MAX_SELECTORS, { error: LIST_ERROR })
    .meta({
      description: 'Hide elements that match any of these CSS selectors, with `display: none`',
      example: ['.cookie-banner', '#chat'],
      accepts: `list of at most ${MAX_SELECTORS} CSS selectors`,
    })
    .optional(),
  custom_css: textField(MAX_CSS_LENGTH, {
    description:
      'CSS to add to the page, its same-origin frames and open shadow trees after load. `@import` is ignored: use `@font-face` for a web font. No effect on the `html` format',
    example: 'body { background: white !important; }',
  }).optional(),
  disable_animations: booleanField({
    description:
      'Show finite CSS and SVG animations and transitions at their end, endless ones where they are most visible, videos and animated pictures at their first frame, and no text cursor. `false` lets all but pictures move',
    example: false,
  }).default(true),
});

/** Validates the selectors on the blank page. */
export const appearanceCheck: Step<typeof schema> = {
  name: 'appearance-check',
  schema,
  apply: async (page, { hide_selectors: selectors }) => {
    if (selectors === undefined) return;
    await Promise.all(selectors.map((selector, index) => checkSelector(page, `hide_selectors[${index}]`, selector)));
  },
};

/**
 * Hides elements and adds the CSS of the request. Can be applied again, because the document may have been replaced.
 */
export const styles: Step<typeof schema> = {
  name: 'styles',
  schema,
  apply: async (page, { hide_selectors: selectors = [], custom_css: css }) => {
    if (selectors.length === 0 && css === undefined) return;
    const hidden = selectors.map((selector) => `${selector} { display: none !important; }`);
    await page.evaluate(adoptRulesOfClient, css ?? '', hidden);
  },
};
