import type { Page } from '../../core/browser/page/page.ts';
import { validationError } from '../../core/ground/errors.ts';
import type { WarningCode } from '../../core/steps/common/step.ts';
import { neutralMarkup } from './in-page/neutral-markup.ts';
import { templateHeight } from './in-page/template-height.ts';
import type { PageRules } from './in-page/page-rules.ts';
import { MOMENT_MS } from '../reproducible/moment.ts';
import type { DocumentOptions } from './document-fields.ts';
import type { Sheet } from './sheet.ts';

/** Limits after parsing: markup can expand, and it is laid out again on each page. */
const LIMITS = { maxElements: 10_000, maxLength: 200_000 };

/** A template that is taller than its margin by less covers nothing. In CSS pixels. */
const ROUNDING = 1;
/** Beginning of a template that spans the sheet: it brings its own padding, as templates for Chrome do. */
export const WHOLE_SHEET = '<!--whole sheet-->';
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
 * network (Chromium 153 crashes if a style sheet or font is loaded there). The header has the watermark: it lies over
 * each sheet in its size, and no style of the page applies to it. Undefined without all three.
 * @throws ServiceError ValidationError for markup that expands too much
 */
export async function headerFooterOf(
  page: Page,
  options: DocumentOptions & Visitor & Reproducible,
  { sheet, own, warn }: { readonly sheet: Sheet; readonly own: PageRules; readonly warn: (code: WarningCode) => void },
): Promise<HeaderFooter | undefined> {
  const { pdf_header_html: header, pdf_footer_html: footer, pdf_watermark: mark } = options;
  if (header === undefined && footer === undefined && mark === undefined) return undefined;
  const template = async (field: 'pdf_header_html' | 'pdf_footer_html', edge: 'top' | 'bottom'): Promise<string> => {
    const markup = options[field];
    if (markup === undefined) return NOTHING;
    const neutral = await page.evaluate(neutralMarkup, markup, LIMITS);
    if (neutral !== null) {
      const isPadded = !markup.startsWith(WHOLE_SHEET);
      const { margins } = sheet;
      const width = sheet.width - (isPadded ? margins.left + margins.right : 0);
      if ((await page.evaluate(templateHeight, neutral, width)) > margins[edge] + ROUNDING) warn('header_overlaps');
      const dated = withDate(neutral, options);
      const { pdf_print_background: withBackground } = options;
      return isPadded ? inMargin(dated, edge, { sheet, own, withBackground }) : asWritten(dated, withBackground);
    }
    throw validationError(
      `${field}: must be shorter or simpler markup: it expands to more than ${LIMITS.maxElements} elements or ${LIMITS.maxLength} characters, or changes each time it is parsed`,
    );
  };
  return {
    displayHeaderFooter: true,
    headerTemplate: (await template('pdf_header_html', 'top')) + (mark === undefined ? '' : watermark(mark)),
    footerTemplate: await template('pdf_footer_html', 'bottom'),
  };
}

export interface Reproducible {
  /** True if the result must not depend on the present time. */
  readonly reproducible: boolean;
}

interface Visitor {
  readonly locale?: string | undefined;
  readonly timezone?: string | undefined;
}

/** Elements with the class `date`, in serialized markup, and rules for it. */
const DATED = /(<[a-z]+\d?\b[^>]*\bclass="(?:[^"]*\s)?)date((?:\s[^"]*)?"[^>]*>)[^<]*/g;
const STYLES = /<style\b[^>]*>[^<]*/g;
const DATE_RULE = /\.date(?![\w-])/g;

/** Writes the date as the locale of the request does. Chrome would write it in its own language. */
function withDate(markup: string, { locale, timezone, reproducible: isSteady }: Visitor & Reproducible): string {
  if ((locale === undefined && !isSteady) || !markup.includes('date')) return markup;
  const numeric = { year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric' } as const;
  const date = new Intl.DateTimeFormat(locale, { ...numeric, timeZone: timezone }).format(
    isSteady ? MOMENT_MS : undefined,
  );
  return markup
    .replaceAll(DATED, (_, before: string, after: string) => `${before}date-of-print${after}${date}`)
    .replaceAll(STYLES, (style) => style.replaceAll(DATE_RULE, '.date-of-print'));
}

/** In CSS pixels: farther than any sheet is wide. */
const AWAY = 20_000;

/**
 * Returns a text across the sheet. A turn in the third dimension, too small to be seen, makes the browser draw the
 * letters as paths. It then adds invisible letters for searching, where they would be without the turn: outside of the
 * sheet, where it drops them (Chromium 153).
 */
function watermark(text: string): string {
  const share = Math.min(24, 160 / Math.max(Array.from(text).length, 1)); // of the shorter side, for one letter
  const box = 'position:fixed;inset:0;display:grid;place-items:center;overflow:hidden';
  const letters = [
    `font:bold ${share}vmin/1 sans-serif`,
    'color:rgb(127 127 127 / 0.3)', // seen on white and on black
    'white-space:pre',
    `transform:perspective(99999px) rotate(-45deg) rotateX(0.1deg) translateX(${AWAY}px)`,
  ];
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return `<div style="${box}"><span style="${letters.join(';')}"><span style="position:relative;left:-${AWAY}px">${escaped}</span></span></div>`;
}

interface Placing {
  readonly sheet: Sheet;
  readonly own: PageRules;
  readonly withBackground: boolean;
}

/** Chrome's text size is 0.9 pt. Any rule for the body wins. */
const READABLE = ':where(body) { font: 10px/1.2 sans-serif; color: #000 }';
/** Chrome's padding would push a second line into the page. */
const USUAL_STYLE = `<style>${READABLE} #header, #footer { padding: 0 !important; position: relative }</style>`;

/** Leaves a template for Chrome as it is, because it is written for Chrome's own boxes around it. */
function asWritten(markup: string, withBackground: boolean): string {
  const background = withBackground ? ' #header, #footer { -webkit-print-color-adjust: exact }' : '';
  return `<style>${READABLE}${background}</style>${markup}`;
}

/**
 * Places the content in the middle of the margin, between the side margins. Chrome makes `#header` and `#footer` as
 * high as the margin of each page. Content that is taller than the margin overlaps the page. On a page without the
 * margin that others have, such as a cover, it is moved off the paper.
 */
function inMargin(
  markup: string,
  edge: 'top' | 'bottom',
  { sheet: { margins }, own, withBackground }: Placing,
): string {
  const differ = !own.isWhole || own.rules.some(({ selector }) => selector !== '');
  const place = margins[edge] > 0 && differ ? 'min(0px, calc((100% - 1px) * 9999))' : '0';
  const style = [
    `position:absolute;left:0;${edge}:${place};width:100%;min-height:100%;box-sizing:border-box`,
    `padding:0 ${margins.right}px 0 ${margins.left}px;display:flex;align-items:center`,
    ...(withBackground ? ['-webkit-print-color-adjust:exact'] : []),
  ];
  return `${USUAL_STYLE}<div style="${style.join(';')}"><div style="flex:1;min-width:0">${markup}</div></div>`;
}
