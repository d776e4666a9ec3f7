import type { Protocol } from 'puppeteer';
import {
  isPrintingLost,
  PrintingLostError,
  type PrintRefusal,
  printRefusalOf,
} from '../../../core/browser/browser-errors.ts';
import type { Page } from '../../../core/browser/page/page.ts';
import { ServiceError, validationError } from '../../../core/ground/errors.ts';
import { adoptStyleSheet } from '../../../core/steps/in-page/adopt-style-sheet.ts';
import type { Inspected } from '../in-page/inspect-document.ts';
import { weakenPageRules } from '../in-page/page-rules.ts';
import { placeBackgrounds } from '../in-page/place-backgrounds.ts';
import type { DocumentOptions } from '../document-fields.ts';
import { fromPoints, toInches } from '../length.ts';
import { mayLackRoom, sheetsWithBackground } from '../own-paper.ts';
import { leastPages } from '../page-ranges.ts';
import { readPdfFile } from '../pdf-file.ts';
import { checkRoom, pageRule, type Sheet } from '../sheet.ts';
import type { HeaderFooter } from '../header-footer.ts';

/** Attribute of table rows that may break. */
export const BREAKS = 'capture-breaks';
/** Keeps table rows whole, which Chrome would break between lines. Any rule of the page wins. */
const WHOLE_ROWS = `:where(tr) { break-inside: avoid; } :where(tr[${BREAKS}]) { break-inside: auto; }`;
/** Leaves out the ring around the field that was typed into last. Any rule of the page wins. */
const NO_RING = ':where(:focus-visible) { outline: none; }';
/** Chrome misplaces a scaled page whose root element is written from right to left (Chromium 153). */
const turn = (body: string): string =>
  `:root:root:root { direction: ltr !important; } :root:root:root > body { direction: ${body} !important; }`;
export const MOST_RULES = 100_000; // maximum number of rules in all style sheets together

type PrintRequest = Protocol.Page.PrintToPDFRequest;

/** Paper, header and footer of a print. */
export interface Printing {
  readonly sheet: Sheet;
  /** What the page itself says and has. */
  readonly own: Inspected;
  /** Header and footer. Undefined without both. */
  readonly headerFooter: HeaderFooter | undefined;
}

/**
 * Prints the page on this paper. Fields that the request leaves unset keep Chrome's defaults.
 * @throws ServiceError ValidationError for faults that only layout shows: missing pages, no room for content
 */
export async function print(
  page: Page,
  options: DocumentOptions,
  { sheet, own, headerFooter }: Printing,
): Promise<Buffer> {
  const pageRules = pageRule(sheet);
  if (pageRules !== '') await page.evaluate(weakenPageRules, MOST_RULES);
  if (own.rules.some(({ hasBackground }) => hasBackground))
    await page.evaluate(placeBackgrounds, sheetsWithBackground(sheet, own, options), MOST_RULES);
  const lasting = `${own.hasRows ? WHOLE_ROWS : ''}${own.hasFocus ? NO_RING : ''}${pageRules}`;
  const turned = options.pdf_scale === 1 || own.bodyOfTurnedRoot === undefined ? '' : turn(own.bodyOfTurnedRoot);
  const rules = lasting + turned;
  // The print follows at once: a frame in between would compute all styles of a long page once more.
  const adopted = rules === '' ? undefined : page.evaluate(adoptStyleSheet, rules, 'paper');
  const { top, right, bottom, left } = { ...sheet.defaultMargins, ...sheet.fixedMargins };
  const request: PrintRequest = {
    // Without preferCSSPageSize, Chrome would still rotate the paper as the page's CSS requests (Chromium 153).
    paperWidth: toInches(sheet.width),
    paperHeight: toInches(sheet.height),
    ...(top !== undefined && { marginTop: toInches(top) }),
    ...(right !== undefined && { marginRight: toInches(right) }),
    ...(bottom !== undefined && { marginBottom: toInches(bottom) }),
    ...(left !== undefined && { marginLeft: toInches(left) }),
    ...(options.pdf_scale !== 1 && { scale: options.pdf_scale }),
    // A page that sets its paper size (@page size) gets it, unless the request sets another.
    preferCSSPageSize: true,
    printBackground: options.pdf_print_background,
  };
  const ranges = options.pdf_page_ranges;
  const printed = page
    .printToPdf({
      ...request,
      ...(ranges !== undefined && { pageRanges: ranges }),
      ...(!options.pdf_tagged && { generateTaggedPDF: false }),
      ...(options.pdf_outline && { generateTaggedPDF: true, generateDocumentOutline: true }),
      ...headerFooter,
    })
    .catch(async (error: unknown) => {
      const refusal = printRefusalOf(error);
      if (isPrintingLost(error))
        throw new PrintingLostError('the page was lost while it was printed', { cause: error });
      if (refusal === undefined) throw error;
      throw validationError(await explain(page, request, refusal), error);
    });
  const [body] = await Promise.all([printed, adopted]);
  if (turned !== '') await page.evaluate(adoptStyleSheet, lasting, 'paper');
  if (body.length === 0) throw new ServiceError('InternalServerError', 'The browser returned an empty document');
  if (ranges !== undefined && readPdfFile(body).pageCount < leastPages(ranges))
    throw validationError(await explain(page, request, 'past the last page'));
  if (!sheet.isNamed && mayLackRoom(sheet, own)) await checkOwnPaper(page, sheet, { body, rules: lasting });
  return body;
}

/**
 * The margins may leave no room on the paper that the page sets. Chrome then silently prints on our paper (Chromium
 * 153). Only a print without margins shows the paper of the page.
 */
async function checkOwnPaper(
  page: Page,
  sheet: Sheet,
  { body, rules }: { readonly body: Buffer; readonly rules: string },
): Promise<void> {
  if (!isOn(sheet, body)) return;
  await page.evaluate(adoptStyleSheet, '@page { margin: 0 !important }', 'paper');
  const bare = await page.printToPdf({
    paperWidth: toInches(sheet.width),
    paperHeight: toInches(sheet.height),
    preferCSSPageSize: true,
    generateTaggedPDF: false,
    pageRanges: '1',
  });
  await page.evaluate(adoptStyleSheet, rules, 'paper'); // for the next print
  const { width, height } = firstSizeOf(bare);
  checkRoom({ width: fromPoints(width), height: fromPoints(height), margins: sheet.margins });
  if (isOn(sheet, bare)) return;
  throw validationError(
    `pdf_margin: must be set for all sides: the @page margins of the page leave no room on its paper of ${width} x ${height} pt`,
  );
}

/** True if the first page of the document has this size. */
function isOn({ width, height }: Sheet, body: Buffer): boolean {
  const first = firstSizeOf(body);
  return Math.abs(fromPoints(first.width) - width) < 2 && Math.abs(fromPoints(first.height) - height) < 2;
}

function firstSizeOf(body: Buffer): Pick<Sheet, 'width' | 'height'> {
  const { pages, sizeOf } = readPdfFile(body);
  return sizeOf(pages()[0] ?? 0);
}

async function explain(page: Page, request: PrintRequest, refusal: PrintRefusal): Promise<string> {
  if (refusal === 'no room') return 'pdf_margin: must leave room on the paper at this pdf_scale';
  // Chrome does not report the number of pages. So all pages are printed again, in this case only.
  const whole = await page.printToPdf({ ...request, generateTaggedPDF: false });
  const { pageCount } = readPdfFile(whole);
  return `pdf_page_ranges: must each begin within the document, which has ${pageCount} ${pageCount === 1 ? 'page' : 'pages'}`;
}
