import { HtmlConverter } from 'chromiumly';
import { Chromiumly } from 'chromiumly';
import type { Browser } from 'puppeteer';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { capture } from '../../support/http.ts';
import { readPdf } from '../../support/pdf.ts';
import { type RunningService, startService } from '../../support/service.ts';
import { openBrowser } from '../../support/visitor-browser.ts';

const MM = 72 / 25.4;
/** Margins of a request in inches. */
interface Margins {
  readonly top?: number;
  readonly right?: number;
  readonly bottom?: number;
  readonly left?: number;
}

const paragraph = 'Delivery takes place ten working days after the order was confirmed in writing. '.repeat(4);
const letter = (css: string): string => `<!doctype html><html lang="en"><title>Letter</title>
  <style>${css} body { margin: 0; font: 14px/20px sans-serif } h2 { break-before: page }</style>
  <h1>First line</h1>${`<p>${paragraph}</p>`.repeat(14)}<h2 class="annex">Annex</h2><p>${paragraph}</p>`;

/** The page's rules and the margins of the request, where the request names defaults as Chrome's interface does. */
const COMBINATIONS: readonly (readonly [css: string, requested: Margins])[] = [
  ['', {}],
  ['', { top: 1, left: 0.5 }],
  ['@page { margin: 45mm 20mm 40mm 25mm }', {}],
  ['@page { margin: 45mm 20mm 40mm 25mm }', { top: 0.2, right: 0.2, bottom: 0.2, left: 0.2 }],
  ['@page { margin-top: 50mm }', { left: 1.5 }],
  ['@page { margin: 20mm } @page :first { margin: 0 }', {}],
  ['@page :first { margin-top: 60mm }', { bottom: 2 }],
  ['@page { margin: 15mm } @page :left { margin-left: 40mm } @page :right { margin-right: 40mm }', {}],
  ['@page wide { size: A4 landscape; margin: 10mm 40mm } .annex, .annex + p { page: wide }', { top: 1 }],
  ['@page { size: A5; margin: 12mm }', { left: 2 }],
  ['@page { size: 148mm 210mm }', { top: 0.8, bottom: 1.2 }],
  ['@media print { @page { margin: 30mm 10mm !important } }', { top: 0.1 }],
];
const HEADER = '<div style="text-align: center">Head<br>of two lines</div>';
const FOOTER = '<div style="text-align: center">Sheet <span class="pageNumber"></span></div>';

// Four at a time: two routes and a browser of their own.
describe.concurrent('margins of the page', () => {
  let service: RunningService;
  let browser: Browser;
  beforeAll(async () => {
    [service, browser] = await Promise.all([startService({ COMPAT: 'gotenberg' }), openBrowser()]);
    Chromiumly.configure({ endpoint: service.url });
  });
  afterAll(async () => {
    await Promise.all([service[Symbol.asyncDispose](), browser.close()]);
  });

  it.each(COMBINATIONS)('are those of plain Chrome for %j and %j, by both routes', async (css, requested) => {
    const html = letter(css);
    const margins = Object.fromEntries(Object.entries(requested).map(([side, inches]) => [side, `${inches}in`]));
    const [bare, ours, gotenberg] = await Promise.all([
      printBare(html, margins),
      printOurs(html, { ...margins, default: true }),
      new HtmlConverter().convert({
        html: Buffer.from(html),
        header: Buffer.from(HEADER),
        footer: Buffer.from(FOOTER),
        properties: {
          size: { width: 8.27, height: 11.69 },
          margins: { top: 0.39, right: 0.39, bottom: 0.39, left: 0.39, ...requested },
          preferCssPageSize: true,
        },
      }),
    ]);
    const expected = await placesOf(bare);

    expect(expected.length).toBeGreaterThan(50);
    expect(furthest(await placesOf(ours), expected)).toBeLessThan(0.3 * MM);
    expect(furthest(await placesOf(gotenberg), expected)).toBeLessThan(0.3 * MM);
  });

  const printBare = async (html: string, margin: Readonly<Record<string, string>>): Promise<Buffer> => {
    const page = await browser.newPage();
    await page.setContent(html);
    const all = { top: '1cm', right: '1cm', bottom: '1cm', left: '1cm', ...margin };
    const pdf = await page.pdf({ format: 'A4', preferCSSPageSize: true, margin: all });
    await page.close();
    return Buffer.from(pdf);
  };
  const printOurs = async (html: string, pdf_margin: object): Promise<Buffer> => {
    const fields = { format: 'pdf', pdf_header_html: HEADER, pdf_footer_html: FOOTER, pdf_margin };
    const answer = await capture(service.url, { html_content: html, ...fields });
    expect(answer.status).toBe(200);
    return answer.body;
  };
});

/** Page, left and baseline of the body's text, without header and footer. */
async function placesOf(pdf: Buffer): Promise<readonly (readonly [page: number, left: number, baseline: number])[]> {
  const { pages } = await readPdf(pdf);
  return pages.flatMap(({ runs }, page) =>
    runs
      .filter(({ text, heightPt }) => heightPt > 8 && text.length > 4)
      .map(({ leftPt, baselinePt }) => [page, leftPt, baselinePt] as const),
  );
}

/** Returns the greatest distance of the same text in points. Infinity if texts are on different pages. */
function furthest(
  places: Awaited<ReturnType<typeof placesOf>>,
  expected: Awaited<ReturnType<typeof placesOf>>,
): number {
  if (places.length !== expected.length) return Infinity;
  const distances = places.map(([page, left, baseline], index) => {
    const [samePage, sameLeft, sameBaseline] = expected[index] ?? [-1, 0, 0];
    return page === samePage ? Math.max(Math.abs(left - sameLeft), Math.abs(baseline - sameBaseline)) : Infinity;
  });
  return Math.max(...distances);
}
