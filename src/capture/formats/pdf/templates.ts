import type { Page } from '../../../browser/page/page.ts';
import { validationError } from '../../../errors.ts';
import { neutralMarkup } from './in-page/neutral-markup.ts';
import type { DocumentOptions } from './document-fields.ts';
import type { Sheet } from './sheet.ts';

/** Browsers make more of some markup than was written; this is laid out anew for every sheet. */
const LIMITS = { maxElements: 10_000, maxLength: 200_000 };

/** Of nothing at all Chrome makes a header of its own: date and title. */
const NOTHING = '<span></span>';

/** What goes to the browser for header and footer. */
export interface Templates {
  readonly displayHeaderFooter: true;
  readonly headerTemplate: string;
  readonly footerTemplate: string;
}

/**
 * Header and footer as Chrome takes them: laid over the sheet in a document that is outside of the page, in which no script runs and
 * nothing is loaded (Chromium 153: what tries to load a style sheet or a font there crashes the renderer). Undefined without either.
 * @throws ServiceError ValidationError for markup that unfolds to too much.
 */
export async function templatesOf(
  page: Page,
  options: DocumentOptions,
  sheet: Sheet,
): Promise<Templates | undefined> {
  const { pdf_header_html: header, pdf_footer_html: footer } = options;
  if (header === undefined && footer === undefined) return undefined;
  const template = async (
    field: 'pdf_header_html' | 'pdf_footer_html',
    edge: 'top' | 'bottom',
  ): Promise<string> => {
    const markup = options[field];
    if (markup === undefined) return NOTHING;
    const neutral = await page.evaluate(neutralMarkup, markup, LIMITS);
    if (neutral !== null)
      return inMargin(neutral, edge, { sheet, withBackground: options.pdf_print_background });
    throw validationError(
      `${field}: must be less or simpler markup: it unfolds to more than ${LIMITS.maxElements} elements or ${LIMITS.maxLength} characters, or changes with each parse`,
    );
  };
  return {
    displayHeaderFooter: true,
    headerTemplate: await template('pdf_header_html', 'top'),
    footerTemplate: await template('pdf_footer_html', 'bottom'),
  };
}

/** Without a size of its own, text there is 0.9 pt tall. Of no weight: any rule for the body that is in the markup wins. */
const USUAL_STYLE = '<style>:where(body) { font: 10px/1.2 sans-serif; color: #000 }</style>';

/**
 * In the middle of the margin, between those of the sides. Taken out of the flow, as Chrome's own padding would push a second line into
 * the page. What is taller than the margin is not cut, and lies over the page.
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
