import { findVisible } from '../common/element.ts';
import { adoptStyleSheet } from '../in-page/paint/adopt-style-sheet.ts';
import { rootsOf } from '../in-page/elements/roots-of.ts';
import { isolateElement } from '../in-page/elements/isolate-element.ts';
import { ServiceError } from '../../errors.ts';
import type { Format } from './format.ts';
import { DEFAULT_PAPER, PAPER_SIZES } from './pdf-fields.ts';

/** Browsers break rows between their lines. Of no weight: any rule of the page's own wins. */
const WHOLE_ROWS = ':where(tr) { break-inside: avoid; }';

/** A document on paper, with real text; an element alone when one is asked for. */
export const pdf: Format = {
  mimeType: 'application/pdf',
  extension: 'pdf',
  isPainted: true,
  isPaged: true,
  showsWholePage: true,
  headers: {},
  check: () => undefined,
  checkLoaded: async () => undefined,
  render: async (page, options) => {
    if (options.selector !== undefined) {
      const { handle } = await findVisible(page, options.selector);
      await page.callOn(handle, isolateElement);
    }
    const [paperWidth, paperHeight] = PAPER_SIZES[options.pdf_format ?? DEFAULT_PAPER];
    // Without preferCSSPageSize, Chrome would still turn the paper the way that the page wants it (Chromium 153).
    const paper = `@page { size: ${paperWidth}in ${paperHeight}in !important; }`;
    await page.evaluate(
      adoptStyleSheet,
      options.pdf_format === undefined ? WHOLE_ROWS : WHOLE_ROWS + paper,
      rootsOf,
    );
    const body = await page.sendForBytes('Page.printToPDF', {
      paperWidth,
      paperHeight,
      // A page that names its own paper (@page size) gets it, unless the request names another.
      preferCSSPageSize: true,
      printBackground: options.pdf_print_background,
      transferMode: 'ReturnAsBase64',
    });
    if (body.length === 0)
      throw new ServiceError('InternalServerError', 'The browser gave back an empty document');
    return { body };
  },
};
