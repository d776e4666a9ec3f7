import type { Protocol } from 'puppeteer';
import {
  isPrintingLost,
  PrintingLostError,
  type PrintRefusal,
  printRefusalOf,
} from '../../../browser/browser-errors.ts';
import type { Page } from '../../../browser/page/page.ts';
import { ServiceError, validationError } from '../../../errors.ts';
import { adoptStyleSheet } from '../../../steps/in-page/adopt-style-sheet.ts';
import { namesItsPaper } from './in-page/names-its-paper.ts';
import { weakenPageRules } from './in-page/weaken-page-rules.ts';
import { rootsOf } from '../../../steps/in-page/roots-of.ts';
import type { DocumentOptions } from './document-fields.ts';
import { fromPoints, toInches } from './length.ts';
import { leastPages } from './page-ranges.ts';
import { readPdfFile } from './pdf-file.ts';
import { checkRoom, pageRule, type Sheet } from './sheet.ts';
import type { Templates } from './templates.ts';

/** Browsers break rows between their lines. Of no weight: any rule of the page's own wins. */
const WHOLE_ROWS = ':where(tr) { break-inside: avoid; }';
const MOST_RULES = 100_000; // those of all its sheets, whatever they are about

type PrintRequest = Protocol.Page.PrintToPDFRequest;

/** What is printed on. */
export interface Printing {
  readonly sheet: Sheet;
  /** Header and footer; undefined for neither. */
  readonly templates: Templates | undefined;
}

/**
 * The page on this paper. What a request leaves unset is left to Chrome.
 * @throws ServiceError ValidationError for what only shows when the page is laid out: pages that it has not, no room left on them.
 */
export async function print(
  page: Page,
  options: DocumentOptions,
  { sheet, templates }: Printing,
): Promise<Buffer> {
  const rule = pageRule(sheet);
  if (rule !== '') await page.evaluate(weakenPageRules, MOST_RULES);
  await page.evaluate(adoptStyleSheet, WHOLE_ROWS + rule, rootsOf, 'paper');
  const { top, right, bottom, left } = sheet.fixedMargins;
  const request: PrintRequest = {
    // Without preferCSSPageSize, Chrome would still turn the paper the way that the page wants it (Chromium 153).
    paperWidth: toInches(sheet.width),
    paperHeight: toInches(sheet.height),
    ...(top !== undefined && { marginTop: toInches(top) }),
    ...(right !== undefined && { marginRight: toInches(right) }),
    ...(bottom !== undefined && { marginBottom: toInches(bottom) }),
    ...(left !== undefined && { marginLeft: toInches(left) }),
    ...(options.pdf_scale !== 1 && { scale: options.pdf_scale }),
    // A page that names its own paper (@page size) gets it, unless the request names another.
    preferCSSPageSize: true,
    printBackground: options.pdf_print_background,
  };
  const ranges = options.pdf_page_ranges;
  const body = await page
    .printToPdf({
      ...request,
      ...(ranges !== undefined && { pageRanges: ranges }),
      ...(!options.pdf_tagged && { generateTaggedPDF: false }),
      ...(options.pdf_outline && { generateTaggedPDF: true, generateDocumentOutline: true }),
      ...templates,
    })
    .catch(async (error: unknown) => {
      const refusal = printRefusalOf(error);
      if (isPrintingLost(error))
        throw new PrintingLostError('the page was lost while it was printed', { cause: error });
      if (refusal === undefined) throw error;
      throw validationError(await explain(page, request, refusal), error);
    });
  if (body.length === 0)
    throw new ServiceError('InternalServerError', 'The browser gave back an empty document');
  if (ranges !== undefined && readPdfFile(body).pageCount < leastPages(ranges))
    throw validationError(await explain(page, request, 'past the last page'));
  await checkOwnPaper(page, sheet, body);
  return body;
}

/**
 * A page may name paper that these margins, and those of its own, leave nothing of. Chrome then prints on ours, without a word
 * (Chromium 153), and only without any margins it tells which paper that is.
 */
async function checkOwnPaper(page: Page, sheet: Sheet, body: Buffer): Promise<void> {
  if (sheet.isNamed || Object.keys(sheet.fixedMargins).length === 0) return;
  if (!isOn(sheet, body) || !(await page.evaluate(namesItsPaper))) return;
  await page.evaluate(adoptStyleSheet, `${WHOLE_ROWS} @page { margin: 0 !important }`, rootsOf, 'paper');
  const bare = await page.printToPdf({
    paperWidth: toInches(sheet.width),
    paperHeight: toInches(sheet.height),
    preferCSSPageSize: true,
    generateTaggedPDF: false,
    pageRanges: '1',
  });
  const { width, height } = readPdfFile(bare).firstPage;
  const margins = { top: 0, right: 0, bottom: 0, left: 0, ...sheet.fixedMargins };
  checkRoom({ width: fromPoints(width), height: fromPoints(height), margins });
  if (isOn(sheet, bare)) return;
  throw validationError(
    `pdf_margin: must be named for all sides: those that the page has leave no room on its paper of ${width} x ${height} pt`,
  );
}

/** Whether the first page of the document is this sheet. */
function isOn({ width, height }: Sheet, body: Buffer): boolean {
  const { firstPage } = readPdfFile(body);
  return (
    Math.abs(fromPoints(firstPage.width) - width) < 2 && Math.abs(fromPoints(firstPage.height) - height) < 2
  );
}

async function explain(page: Page, request: PrintRequest, refusal: PrintRefusal): Promise<string> {
  if (refusal === 'no room') return 'pdf_margin: leaves no room on the paper, with pdf_scale';
  // Chrome does not say how many there are. All of them once more, in this case alone.
  const whole = await page.printToPdf({ ...request, generateTaggedPDF: false });
  const { pageCount } = readPdfFile(whole);
  return `pdf_page_ranges: must each begin within the document, which has ${pageCount} ${pageCount === 1 ? 'page' : 'pages'}`;
}
