import { z } from 'zod';
import { callText } from '../../../core/browser/page/evaluate.ts';
import { validationError } from '../../../core/ground/errors.ts';
import type { Step } from '../../../core/steps/common/step.ts';
import { firstInvalid, readValues } from '../in-page/extract/read-values.ts';
import { type Part, PART_LIMITS } from '../answer-part.ts';
import { extractFields, type ValueSpecs } from './extract-fields.ts';

const BOUNDS = { maxValues: 50_000, maxLength: PART_LIMITS.text };

/** Values of the page that the field `extract` names. */
export const extractPart: Part = {
  description: 'Values that the field `extract` names: texts, numbers, lists and objects. `null`: nothing was found',
  schema: z.looseObject({ truncated: z.literal(true).optional() }),
  script: ({ extract = {} }) => `() => ${callText(readValues, [extract, BOUNDS])}`,
};

/** Checks on the blank page whether the selectors are valid. */
export const extractCheck: Step<typeof extractFields> = {
  name: 'extract',
  schema: extractFields,
  apply: async (page, { extract }) => {
    if (extract === undefined) return;
    const invalid = await page.evaluate(firstInvalid, [...selectorsOf(extract, 'extract')]);
    if (invalid !== undefined) throw validationError(`${invalid}: must be a valid CSS selector`);
  },
};

/** Yields every selector of values with its place in the request. */
function* selectorsOf(specs: ValueSpecs, path: string): Generator<readonly [place: string, selector: string]> {
  for (const [name, { selector, fields }] of Object.entries(specs)) {
    yield [`${path}.${name}`, selector];
    if (fields !== undefined) yield* selectorsOf(fields, `${path}.${name}.fields`);
  }
}
