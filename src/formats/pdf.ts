import { findVisible } from '../capture/element.ts';
import { isolateElement } from '../capture/in-page/isolate-element.ts';
import { ServiceError } from '../errors.ts';
import type { Format } from './format.ts';
import { DEFAULT_PAPER, PAPER_SIZES } from './pdf-fields.ts';

/** A document on paper, with real text; an element alone when one is asked for. */
export const pdf: Format = {
  mimeType: 'application/pdf',
  extension: 'pdf',
  showsWholePage: true,
  headers: {},
  check: () => undefined,
  render: async (page, options) => {
    if (options.selector !== undefined) {
      const { handle } = await findVisible(page, options.selector);
      await page.callOn(handle, isolateElement);
    }
    const [paperWidth, paperHeight] = PAPER_SIZES[options.pdf_format ?? DEFAULT_PAPER];
    const { data } = await page.send('Page.printToPDF', {
      paperWidth,
      paperHeight,
      // A page that names its own paper (@page size) gets it, unless the request names another.
      preferCSSPageSize: options.pdf_format === undefined,
      printBackground: options.pdf_print_background,
      transferMode: 'ReturnAsBase64',
    });
    const body = Buffer.from(data, 'base64');
    if (body.length === 0)
      throw new ServiceError('InternalServerError', 'The browser gave back an empty document');
    return { body };
  },
};
