import type { Page } from '../../../browser/page/page.ts';
import { validationError } from '../../../errors.ts';
import { neutralMarkup } from './in-page/neutral-markup.ts';
import type { DocumentOptions } from './document-fields.ts';
import type { Sheet } from './sheet.ts';

/** Limits after parsing: markup can expand, and it is laid out again on each page. */
const LIMITS = { maxElements: 10_000, maxLength: 200_000 };

/** Chrome replaces empty templates by its own header with date and title. */
const NOTHING = '<span></span>';

/** Header and footer as sent to the browser. */
export interface HeaderFooter {
  readonly displayHeaderFooter: true;
  readonly headerTemplate: string;
  readonly footerTemplate: string;
}

/**
 * Returns header and footer for Chrome, which lays them over each page in a separate document without scripts and
 * network (Chromium 153 crashes if a style sheet or font is loaded there). Undefined without both.
 * @throws ServiceError ValidationError for markup that expands too much
 */
export async function headerFooterOf(
  page: Page,
  options: DocumentOptions,
  sheet: Sheet,
): Promise<HeaderFooter | undefined> {
  const { pdf_header_html: header, pdf_footer_html: footer } = options;
  if (header === undefined && footer === undefined) return undefined;
  const template = async (field: 'pdf_header_html' | 'pdf_footer_html', edge: 'top' | 'bottom'): Promise<string> => {
    const markup = options[field];
    if (markup === undefined) return NOTHING;
    const neutral = await page.evaluate(neutralMarkup, markup, LIMITS);
    if (neutral !== null) return inMargin(neutral, edge, { sheet, withBackground: options.pdf_print_background });
    throw validationError(
      `${field}: must be shorter or simpler markup: it expands to more than ${LIMITS.maxElements} elements or ${LIMITS.maxLength} characters, or changes each time it is parsed`,
    );
  };
  return {
    displayHeaderFooter: true,
    headerTemplate: await template('pdf_header_html', 'top'),
    footerTemplate: await template('pdf_footer_html', 'bottom'),
  };
}

/** Default style, because Chrome's default text size is 0.9 pt. Any rule for the body wins. */
const USUAL_STYLE = '<style>:where(body) { font: 10px/1.2 sans-serif; color: #000 }</style>';

/**
 * Places the content in the middle of the margin, between the side margins. Positioned absolutely, because Chrome's
 * padding would push a second line into the page. Content that is taller than the margin overlaps the page.
 */
function inMargin(
  markup: string,
  edge: 'top' | 'bottom',
  { sheet: { margins }, withBackground }: { readonly sheet: Sheet; readonly withBackground: boolean },
): string {
  const style = [
    `position:absolute;left:0;${edge}:0;width:100%;min-height:${margins[edge]}px;box-sizing:border-box`,
    `padding:0 ${margins.right}px 0 ${margins.left}px;display:flex;align-items:center`,
    ...(withBackground ? ['-webkit-print-color-adjust:exact'] : []),
  ];
  return `${USUAL_STYLE}<div style="${style.join(';')}"><div style="flex:1;min-width:0">${markup}</div></div>`;
}
