import { booleanField, fieldsOf } from '../common/fields.ts';
import type { Step } from '../common/step.ts';
import { unfold } from './in-page/area/unfold.ts';

const schema = fieldsOf('look', {
  expand_content: booleanField({
    description:
      'For pdf and pictures: show closed `<details>`, scrolled boxes, fields of several lines and same-origin frames at their whole height',
    example: true,
  }).default(false),
});

/** Opens what is folded, before the page is scrolled through: lazy content in it loads then. */
export const expandContent: Step<typeof schema> = {
  name: 'expand-content',
  schema,
  apply: async (page, { expand_content: isExpanded }, { isPainted, paper, warn }) => {
    if (!isExpanded || !isPainted) return;
    if (await page.evaluate(unfold, paper !== undefined)) warn('scroll_incomplete');
  },
};
