import { isDocumentLost, isPromiseLost } from '../browser/browser-errors.ts';
import { InPageError } from '../browser/page/evaluate.ts';
import { ServiceError, validationError } from '../ground/errors.ts';
import { withTimeout } from '../ground/timeouts.ts';
import { fieldsOf, firstLine, MAX_SCRIPT_LENGTH, textField } from './common/fields.ts';
import type { Step } from './common/step.ts';

const schema = fieldsOf('look', {
  custom_js: textField(MAX_SCRIPT_LENGTH, {
    description: 'JavaScript to run in the page after load, before the waits. Top-level await is supported',
    example: 'document.querySelector("#accept")?.click()',
  }).optional(),
});

/** Runs the script of the request in the page. A script that navigates counts as done. */
export const customScript: Step<typeof schema> = {
  name: 'custom-script',
  schema,
  apply: async (page, { custom_js: script }, { waitMs }) => {
    if (script === undefined) return;
    const timeout = (): ServiceError =>
      new ServiceError('TimeoutError', 'The script did not end in time', {
        details: `custom_js: the script did not end within ${waitMs} ms`,
      });
    try {
      await withTimeout(page.runInPageWorld(script), waitMs, timeout);
    } catch (error) {
      if (isDocumentLost(error)) return;
      if (isPromiseLost(error)) throw timeout();
      if (error instanceof InPageError) throw validationError(`custom_js: ${firstLine(error.message)}`, error);
      throw error;
    }
  },
};
