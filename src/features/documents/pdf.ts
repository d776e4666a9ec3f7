import type { Page } from '../../core/browser/page/page.ts';
import { OWN_ORIGIN } from '../../core/egress/gate/own-site.ts';
import { findVisible } from '../../core/steps/common/element.ts';
import type { Size, WarningCode } from '../../core/steps/common/step.ts';
import { emulatePaper, layOutForPaper } from '../../core/steps/readiness/paper.ts';
import type { Format, RenderOptions } from '../../core/capture/formats/format.ts';
import type { DocumentOptions } from './document-fields.ts';
import type { AttachmentOptions } from './standards/attachments.ts';
import { contentRoom, endsWithBlankSheet, MOST_SHRUNK, widthOnPaper } from './content-room.ts';
import { encryptDocument, lockOf } from './encryption/encrypt-document.ts';
import { finishDocument } from './finish-document.ts';
import { headerFooterOf } from './header-footer.ts';
import { fitContent } from './in-page/fit-content.ts';
import { type Inspected, inspectDocument } from './in-page/inspect-document.ts';
import { inspectForReaders } from './in-page/inspect-for-readers.ts';
import { isolateElement } from './in-page/isolate-element.ts';
import { nameDocument } from './in-page/name-document.ts';
import { readPageRules } from './in-page/page-rules.ts';
import { expectedRoom, withOwnPaper } from './own-paper.ts';
import { readPdfFile } from './pdf-file.ts';
import { BREAKS, MOST_RULES, print as printPages } from './print.ts';
import { checkSheet, sheetOf } from './sheet.ts';
import { shrinkPictures } from './shrink-pictures.ts';
import { printOnOneSheet, smallestSheet } from './single-sheet.ts';
import { markArtifacts } from './standards/accessible/mark-artifacts.ts';

/** Maximum number of elements that are measured for the paper. */
const MOST_ELEMENTS = 200_000;
/** Chrome's rounding of margins and scale. */
const ROUNDING = 0.01;
/** If a sheet has less than this share of the assumed height, its pictures are measured again. */
const LOW_SHARE = 0.7;
/** The least scale that Chrome takes. */
const LEAST_SCALE = 0.1;
/** A page whose widest picture is scaled is no longer shrunk, and has less room. */
const MOST_FITTINGS = 2;

/** Characters of a link's description. */
const MOST_LINK_TEXT = 300;

/** Beginnings of addresses that mean nothing outside of the page: supplied markup has no address of its own. */
const LEAD_NOWHERE = [`${OWN_ORIGIN}/`, 'javascript:', 'blob:'];

type PrintOptions = RenderOptions & DocumentOptions & Pick<AttachmentOptions, 'ownSite'>;

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
  render: async (page, options) => {
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
    const headerFooter = await headerFooterOf(page, options, { sheet, own: inspected });
    const print = options.pdf_single_page ? printOnOneSheet : printPages;
    const { body, warnings, scale } = await printForItsRoom(page, options, {
      print: async (pdf_scale = options.pdf_scale) =>
        await print(page, { ...options, pdf_scale }, { sheet, own: inspected, headerFooter }),
      assumed,
      inspected,
    });
    const { pdf_image_quality: quality } = options;
    const lighter = quality === undefined ? body : await shrinkPictures(body, readPdfFile(body), quality);
    const whole = isForReaders ? await markArtifacts(readPdfFile(lighter)) : lighter;
    const file = readPdfFile(whole);
    if (endsWithBlankSheet(file, headerFooter !== undefined)) warnings.add('page_blank');
    const finished = {
      body: await finishDocument(whole, file, { ...options, ...inspected, forReaders, leadNowhere: LEAD_NOWHERE }),
      scale,
      warnings: [...warnings],
    };
    const lock = lockOf(options);
    if (lock === undefined) return finished;
    return { finish: async (signal) => ({ ...finished, body: await encryptDocument(finished.body, lock, signal) }) };
  },
};

/** Returns the room for content on the paper that Chrome will probably choose. */
async function findRoom(page: Page, options: PrintOptions): Promise<Size> {
  return expectedRoom(sheetOf(options), await page.evaluate(readPageRules, MOST_RULES), options);
}

interface PrintedPage {
  readonly body: Buffer;
  readonly warnings: Set<WarningCode>;
  /** Factor by which Chrome has scaled the page, for a page that was wider than its paper. */
  readonly scale: number | undefined;
}

interface Printer {
  /** @param scale default: that of the request */
  readonly print: (scale?: number) => Promise<Buffer>;
  /** Room for content that the page was laid out for before. */
  readonly assumed: Size;
  readonly inspected: Inspected;
}

/**
 * Prints the page. Prints it once more if its scripts draw again for the paper that the page has set, or if content was
 * taller than a sheet.
 */
async function printForItsRoom(
  page: Page,
  options: PrintOptions,
  { print, assumed, inspected }: Printer,
): Promise<PrintedPage> {
  const warnings = new Set<WarningCode>();
  let body = await print();
  const readRoom = () => contentRoom(readPdfFile(body), options.pdf_scale);
  let room = readRoom();
  const isOwnPaper = room !== undefined && !isAsWide(room, assumed) && !options.pdf_single_page;
  if (room !== undefined && isOwnPaper) {
    const context = { isActedOn: false, warn: (code: WarningCode) => void warnings.add(code) };
    const found = room;
    if (await layOutForPaper(page, async () => found, options, context)) {
      body = await print();
      room = readRoom();
    }
  }
  const isMeasured = inspected.mayNotFit || (room !== undefined && room.height < assumed.height * LOW_SHARE);
  for (let left = isMeasured ? MOST_FITTINGS : 0; room !== undefined && left > 0; left--) {
    const { width, height, shrunkBy } = room;
    const paper = { width: width * shrunkBy, height: height * shrunkBy };
    await emulatePaper(page, paper, options);
    const fitted = await page.evaluate(fitContent, paper, {
      breaks: BREAKS,
      maxElements: MOST_ELEMENTS,
      changes: !options.pdf_single_page,
    });
    if (fitted.isScrolled) warnings.add('content_scrolled');
    if (!fitted.hasChanged) break;
    body = await print();
    room = readRoom();
    if (room?.shrunkBy === shrunkBy) break;
  }
  // Chrome does not shrink a page that is wider than its paper to the left.
  const paper = room ?? assumed;
  const excess = inspected.isRightToLeft ? (await widthOnPaper(page, paper, options)) / paper.width : 1;
  const fitting = options.pdf_scale / Math.min(excess, MOST_SHRUNK);
  if (room !== undefined && excess > 1 + ROUNDING && fitting >= LEAST_SCALE && !options.pdf_single_page) {
    body = await print(fitting);
    room = readRoom();
  }
  const { shrunkBy = 1 } = room ?? {};
  const isShrunk = shrunkBy > 1 + ROUNDING;
  if (isShrunk) warnings.add('content_shrunk');
  room ??= { ...assumed, shrunkBy: MOST_SHRUNK }; // the first page is empty
  const mayBeCut = excess > 1 || (room.shrunkBy > MOST_SHRUNK - 0.001 && !inspected.isVertical);
  if (mayBeCut && (await widthOnPaper(page, room, options)) > room.width * room.shrunkBy + 1)
    warnings.add('content_cut');
  return { body, warnings, scale: isShrunk ? 1 / shrunkBy : undefined };
}

/** True if both are equal but for Chrome's rounding of margins. */
function isAsWide(room: Size, assumed: Size): boolean {
  return Math.abs(room.width / assumed.width - 1) < ROUNDING;
}
