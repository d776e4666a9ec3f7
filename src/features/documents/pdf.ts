import { setImmediate } from 'node:timers/promises';
import type { Page } from '../../core/browser/page/page.ts';
import { OWN_ORIGIN } from '../../core/egress/gate/own-site.ts';
import { findVisible } from '../../core/steps/common/element.ts';
import type { Size, WarningCode } from '../../core/steps/common/step.ts';
import type { Format, RenderOptions } from '../../core/capture/formats/format.ts';
import type { DocumentOptions } from './document-fields.ts';
import type { AttachmentOptions } from './standards/attachments.ts';
import { endsWithBlankSheet } from './printing/content-room.ts';
import { encryptDocument, lockOf } from './encryption/encrypt-document.ts';
import { finishDocument } from './finish-document.ts';
import { headerFooterOf, type Reproducible } from './header-footer.ts';
import { type Inspected, inspectDocument } from './in-page/inspect-document.ts';
import { inspectForReaders } from './in-page/inspect-for-readers.ts';
import { isolateElement } from './in-page/isolate-element.ts';
import { nameDocument } from './in-page/name-document.ts';
import { readPageRules } from './in-page/page-rules.ts';
import { expectedRoom, withOwnPaper } from './own-paper.ts';
import { readPdfFile } from './pdf-file.ts';
import { MOST_RULES } from './printing/print.ts';
import { MOST_ELEMENTS, printToFit } from './printing/print-to-fit.ts';
import { checkSheet, sheetOf } from './sheet.ts';
import { shrinkPictures } from './shrink-pictures.ts';
import { steadyDocument } from './steady-document.ts';
import { smallestSheet } from './printing/single-sheet.ts';
import { markArtifacts } from './standards/accessible/mark-artifacts.ts';

/** Characters of a link's description. */
const MOST_LINK_TEXT = 300;

/** Beginnings of addresses that mean nothing outside of the page: supplied markup has no address of its own. */
const LEAD_NOWHERE = [`${OWN_ORIGIN}/`, 'javascript:', 'blob:'];

/** A book brings its own sheets: nothing is added to them. */
const ON_FINISHED_PAGES = { pdf_margin: { top: 0, right: 0, bottom: 0, left: 0 }, pdf_scale: 1 };

type PrintOptions = RenderOptions &
  DocumentOptions &
  Pick<AttachmentOptions, 'ownSite'> &
  Reproducible & { readonly paged_media: boolean };

/** A PDF with real text, of the page or of one element. */
export const pdf: Format<PrintOptions> = {
  mimeType: 'application/pdf',
  extension: 'pdf',
  isPainted: true,
  showsWholePage: true,
  paper: findRoom,
  headers: {},
  check: (options) => {
    const sheet = sheetOf(options);
    checkSheet(options.pdf_single_page ? smallestSheet(sheet) : sheet);
  },
  checkLoaded: async () => undefined,
  render: async (page, given) => {
    const options = given.paged_media ? { ...given, ...ON_FINISHED_PAGES } : given;
    if (options.selector !== undefined) {
      const { handle } = await findVisible(page, options.selector);
      await page.callOn(handle, isolateElement);
    }
    if (options.pdf_title !== undefined) await page.evaluate(nameDocument, options.pdf_title);
    const assumed = await findRoom(page, options);
    const limits = { maxRules: MOST_RULES, maxElements: MOST_ELEMENTS };
    const inspected = await page.evaluate(inspectDocument, assumed, limits);
    const isForReaders = options.pdf_standard?.includes('PDF/UA-1') === true;
    const forReaders = isForReaders ? await page.evaluate(inspectForReaders, { maxText: MOST_LINK_TEXT }) : undefined;
    const sheet = withOwnPaper(sheetOf(options), inspected, options);
    if (options.pdf_single_page) checkSheet(smallestSheet(sheet));
    const found = new Set<WarningCode>();
    const warn = (code: WarningCode) => void found.add(code);
    const headerFooter = await headerFooterOf(page, options, { sheet, own: inspected, warn });
    const printing = { sheet, own: inspected, headerFooter };
    const { body, warnings, scale, printed } = await printToFit(page, options, { printing, assumed });
    if (options.reproducible) steadyDocument(body, readPdfFile(body));
    const { pdf_image_quality: quality } = options;
    const lighter = quality === undefined ? body : await shrinkPictures(body, readPdfFile(body), quality);
    const whole = isForReaders ? await markArtifacts(readPdfFile(lighter)) : lighter;
    await setImmediate(); // other requests have their turn between the steps of a long document
    const file = readPdfFile(whole);
    if (endsWithBlankSheet(file, headerFooter !== undefined)) warnings.add('page_blank');
    const finished = {
      body: await finishDocument(whole, file, {
        ...withFacts(options, inspected),
        hasLanguage: inspected.hasLanguage,
        printed,
        forReaders,
        leadNowhere: LEAD_NOWHERE,
      }),
      scale,
      warnings: [...found, ...warnings],
    };
    const lock = lockOf(options);
    if (lock === undefined) return finished;
    return { finish: async (signal) => ({ ...finished, body: await encryptDocument(finished.body, lock, signal) }) };
  },
};

/** Adds the metadata of the page, unless the request has its own. */
function withFacts(options: PrintOptions, { meta }: Inspected): PrintOptions {
  return {
    ...options,
    pdf_author: options.pdf_author ?? meta.author,
    pdf_subject: options.pdf_subject ?? meta.description,
    pdf_keywords: options.pdf_keywords ?? meta.keywords,
  };
}

/** Returns the room for content on the paper that Chrome will probably choose. */
async function findRoom(page: Page, options: PrintOptions): Promise<Size> {
  return expectedRoom(sheetOf(options), await page.evaluate(readPageRules, MOST_RULES), options);
}
