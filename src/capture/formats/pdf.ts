import { findVisible } from '../../steps/common/element.ts';
import { isolateElement } from './pdf/in-page/isolate-element.ts';
import { isRightToLeft, nameDocument } from './pdf/in-page/name-document.ts';
import { layOutForPaper } from '../../steps/readiness/paper.ts';
import type { Size, WarningCode } from '../../steps/common/step.ts';
import { contentRoom, isContentCut, MOST_SHRUNK } from './pdf/content-room.ts';
import type { Format } from './format.ts';
import { hasFacts, withFacts } from './pdf/document-facts.ts';
import { print as printPages } from './pdf/print.ts';
import { checkSheet, roomOf, sheetOf } from './pdf/sheet.ts';
import { printOnOneSheet, smallestSheet } from './pdf/single-sheet.ts';
import { headerFooterOf } from './pdf/header-footer.ts';

/** A PDF with real text, of the page or of one element. */
export const pdf: Format = {
  mimeType: 'application/pdf',
  extension: 'pdf',
  isPainted: true,
  showsWholePage: true,
  paper: (options) => roomOf(sheetOf(options), options),
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
    const headerFooter = await headerFooterOf(page, options, sheet);
    const warnings = new Set<WarningCode>();
    const print = async (): Promise<Buffer> =>
      options.pdf_single_page
        ? await printOnOneSheet(page, options, { sheet, headerFooter })
        : await printPages(page, options, { sheet, headerFooter });
    const [first, rightToLeft] = await Promise.all([print(), page.evaluate(isRightToLeft)]);
    let body = first;
    let room = contentRoom(body, options.pdf_scale);
    const assumed = roomOf(sheet, options);
    const isOwnPaper = room !== undefined && !isAsWide(room, assumed) && !options.pdf_single_page;
    if (room !== undefined && isOwnPaper) {
      // The page has set its paper or margins, so its scripts draw again.
      const context = { isActedOn: false, warn: (code: WarningCode) => void warnings.add(code) };
      if (await layOutForPaper(page, room, options, context)) {
        body = await print();
        room = contentRoom(body, options.pdf_scale);
      }
    }
    room ??= { ...assumed, shrunkBy: MOST_SHRUNK }; // the first page is empty
    if (await isContentCut(page, room, { ...options, rightToLeft })) warnings.add('content_cut');
    return { body: hasFacts(options) ? withFacts(body, options) : body, warnings: [...warnings] };
  },
};

/** True if both are equal but for Chrome's rounding of margins. */
function isAsWide(room: Size, assumed: Size): boolean {
  return Math.abs(room.width / assumed.width - 1) < 0.01;
}
