import { findVisible } from '../../steps/common/element.ts';
import { isolateElement } from './pdf/in-page/isolate-element.ts';
import { nameDocument } from './pdf/in-page/name-document.ts';
import type { Format } from './format.ts';
import { hasFacts, withFacts } from './pdf/document-facts.ts';
import { print } from './pdf/print.ts';
import { checkSheet, sheetOf } from './pdf/sheet.ts';
import { printOnOneSheet, smallestSheet } from './pdf/single-sheet.ts';
import { templatesOf } from './pdf/templates.ts';

/** A PDF with real text, of the page or of one element. */
export const pdf: Format = {
  mimeType: 'application/pdf',
  extension: 'pdf',
  isPainted: true,
  isPaged: true,
  showsWholePage: true,
  headers: {},
  check: (options) => {
    const sheet = sheetOf(options);
    checkSheet(options.pdf_single_page ? smallestSheet(sheet) : sheet);
  },
  checkLoaded: async () => undefined,
  render: async (page, options) => {
    if (options.selector !== undefined) {
      const { handle } = await findVisible(page, options.selector);
      await page.callOn(handle, isolateElement);
    }
    if (options.pdf_title !== undefined) await page.evaluate(nameDocument, options.pdf_title);
    const sheet = sheetOf(options);
    const templates = await templatesOf(page, options, sheet);
    const body = options.pdf_single_page
      ? await printOnOneSheet(page, options, { sheet, templates })
      : await print(page, options, { sheet, templates });
    return { body: hasFacts(options) ? withFacts(body, options) : body };
  },
};
