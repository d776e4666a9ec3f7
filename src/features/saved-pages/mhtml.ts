import { ServiceError } from '../../core/ground/errors.ts';
import { keepShown } from '../../core/capture/formats/in-page/keep-shown.ts';
import { writeOutSheets } from '../../core/capture/formats/in-page/write-out-sheets.ts';
import type { Format } from '../../core/capture/formats/format.ts';

/** The page with all loaded resources in one file, as browsers save it. */
export const mhtml: Format = {
  mimeType: 'multipart/related',
  extension: 'mhtml',
  isPainted: true,
  showsWholePage: true,
  needsTime: true,
  headers: { 'Content-Security-Policy': 'sandbox' },
  check: () => undefined,
  checkLoaded: async () => undefined,
  render: async (page) => {
    await page.evaluate(writeOutSheets);
    await page.evaluate(keepShown);
    const body = await page.sendForBytes('Page.captureSnapshot', { format: 'mhtml' });
    if (body.length === 0) throw new ServiceError('InternalServerError', 'The browser returned an empty document');
    return { body };
  },
};
