import { beforeAll, describe, expect, it } from 'vitest';
import { readPdfFile } from '../../../src/features/documents/pdf-file.ts';
import { capture } from '../../support/http.ts';
import { type SharedService, sharedService } from '../../support/shared-service.ts';

// Sheets of A5, 148 x 210 mm. The picture of the background is a red square of 100 px, 26.5 mm.

const MM_PER_UNIT = 25.4 / 300;
const SQUARE = `url("data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' width='100' height='100'><rect width='100' height='100' fill='red'/></svg>") no-repeat`;
const RED = /([\d.-]+) ([\d.-]+) ([\d.-]+) ([\d.-]+) re\nW\*? n\nq\n[\d.-]+ 0 0 [\d.-]+ [\d.-]+ [\d.-]+ cm\n1 0 0 RG/;

let service: SharedService;
beforeAll(async () => {
  service = await sharedService();
});

/** Returns the drawing commands of each sheet. */
async function print(rules: string, fields: object = {}): Promise<readonly string[]> {
  const html_content = `<!doctype html><style>@page { size: A5; margin: 20mm 10mm } ${rules}</style><p>One</p><p style="break-before: page">Two</p>`;
  const { status, body } = await capture(service.url, { html_content, format: 'pdf', ...fields });
  expect([status, status === 200 ? '' : body.toString()]).toEqual([200, '']);
  const file = readPdfFile(body.subarray(0, body.indexOf('%%EOF') + 6)); // as Chrome has written it
  return file.pages().map((page) => file.commandsOf(page, 16_384));
}

/** Returns left, top, width and height of what is seen of the red square, in millimetres of the sheet. */
function redOn(sheet: string | undefined): readonly number[] | undefined {
  return RED.exec(sheet ?? '')
    ?.slice(1, 5)
    .map((units) => Math.round(Number(units) * MM_PER_UNIT));
}

describe('the background of @page', () => {
  it.each<[background: string, place: readonly number[]]>([
    ['center / cover', [0, 0, 148, 210]],
    ['0 0 / 100% 100%', [0, 0, 148, 210]],
    ['center / contain', [0, 31, 148, 148]],
    ['', [0, 0, 26, 26]],
    ['center', [61, 92, 26, 26]],
    ['right 10mm bottom 20mm / 50% auto', [64, 116, 74, 74]],
    ['calc(50% + 20mm) 100% / 30mm 40mm', [79, 170, 30, 40]],
    ['-10mm -20mm / 148mm 210mm', [0, 0, 148, 210]], // lengths count from the content, as Chrome has it
    ['10mm 10mm', [20, 30, 26, 26]],
  ])('is placed on each sheet: %s', async (background, place) => {
    const sheets = await print(`@page { background: ${SQUARE} ${background} }`);

    expect(sheets.map(redOn)).toEqual([place, place]);
  });

  it.each<[fields: object, place: readonly number[]]>([
    [{ pdf_scale: 0.6 }, [61, 92, 26, 26]],
    [{ pdf_margin: '30mm' }, [61, 92, 26, 26]],
    [{ pdf_format: 'A4' }, [92, 135, 26, 26]],
  ])('is placed on the paper of the request: %j', async (fields, place) => {
    const sheets = await print(`@page { background: ${SQUARE} center }`, fields);

    expect(sheets.map(redOn)).toEqual([place, place]);
  });

  it('follows the margins and the pictures of single pages', async () => {
    const place = [61, 92, 26, 26];
    const first = await print(`@page { background: ${SQUARE} center } @page :first { margin: 5mm }`);
    const named = await print(
      `@page cover { background: ${SQUARE} center; margin: 0 } p { page: cover } p ~ p { page: auto }`,
    );

    expect(first.map(redOn)).toEqual([place, place]);
    expect(named.map(redOn)).toEqual([place, undefined]);
  });

  it('reaches the edges with one sheet that is as tall as the page', async () => {
    const [sheet] = await print(`@page { size: 148mm 210mm; background: ${SQUARE} 0 0 / 100% 100% }`, {
      pdf_single_page: true,
    });

    expect(redOn(sheet)?.slice(0, 3)).toEqual([0, 0, 148]);
  });

  it.each([
    'linear-gradient(90deg, red 20mm, white 20mm)',
    'radial-gradient(red, blue) fixed', // Chrome crashed
    `${SQUARE} center, conic-gradient(red, blue) fixed`,
  ])('may be a gradient: %s', async (background) => {
    const sheets = await print(`@page { background: ${background} }`);

    expect(sheets).toHaveLength(2);
    for (const sheet of sheets) expect(sheet).toMatch(/\/Pattern cs[^]*0 0 (559|560) 79[34]\.?\d* re/);
  });
});
