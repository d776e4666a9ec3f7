import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { invalid, readError } from '../../support/errors.ts';
import { type CaptureAnswer, capture } from '../../support/http.ts';
import { readPicture } from '../../support/pixels.ts';
import { plainPdf, texts } from '../../support/plain-pdf.ts';
import { type SharedService, sharedService } from '../../support/shared-service.ts';

const RED = '1 0 0 rg 0 0 300 200 re f';
const BLUE = '0 0 1 rg 0 0 300 100 re f';
const TWO = plainPdf([{ commands: RED }, { size: [300, 100], commands: BLUE }], {
  entries: '/Lang(de)',
  objects: ['<</Title(Two pages)/Author(Ines)>>'],
  trailer: '/Info 8 0 R',
});
const COLUMNS = plainPdf([
  {
    size: [600, 400],
    commands: texts(
      [40, 20, 'Page 1'], // drawn first
      [40, 360, 'A title over both columns of this page and on', 24],
      ...[0, 1, 2, 3].flatMap((i): [number, number, string][] => [
        [40, 320 - 14 * i, `left${i} is a line of the first column`],
        [330, 320 - 14 * i, `right${i} is a line of the second column`],
      ]),
    ),
  },
]);
const TABLE = plainPdf([
  {
    commands: texts(
      ...['Fruit', 'Pear', 'Quince'].flatMap((name, i): [number, number, string][] => [
        [30, 150 - 20 * i, name],
        [180, 150 - 20 * i, ['Price', '3.50', '2.80'][i] ?? ''],
      ]),
    ),
  },
]);
const SCRIPT = plainPdf([{ commands: texts([30, 100, 'text']) }], {
  entries: '/OpenAction<</S/JavaScript/JS(app.alert\\(1\\))>>',
});
const FORM = plainPdf([{ commands: texts([30, 150, 'Name:']), entries: '/Annots[6 0 R]' }], {
  entries: '/AcroForm<</Fields[6 0 R]/NeedAppearances true/DA(/F 12 Tf 0 g)/DR<</Font<</F 3 0 R>>>>>>',
  objects: [
    '<</Type/Annot/Subtype/Widget/FT/Tx/T(name)/V(Ines Vogel)/DA(/F 12 Tf 0 g)/F 4/Rect[80 140 280 165]/P 4 0 R>>',
  ],
});

let service: SharedService;
let site: Server;
let origin = '';
const visits = new Map<string, number>();
const FILES: Readonly<Record<string, readonly [type: string, body: Buffer]>> = {
  '/two.pdf': ['application/pdf', TWO],
  '/counted.pdf': ['application/pdf', TWO],
  '/named': ['application/octet-stream', TWO],
  '/report': ['application/pdf; charset=binary', TWO],
  '/download.pdf': ['application/octet-stream', TWO],
  '/data.bin': ['application/octet-stream', TWO],
  '/gone.pdf': ['application/pdf', TWO],
  '/false.pdf': ['application/pdf', Buffer.from('no document')],
};

beforeAll(async () => {
  service = await sharedService();
  site = createServer((request, response) => {
    const path = request.url ?? '';
    visits.set(path, (visits.get(path) ?? 0) + 1);
    const [type, body] = FILES[path] ?? ['text/plain', Buffer.from('none')];
    if (path === '/moved.pdf') response.writeHead(302, { location: '/two.pdf' }).end();
    else {
      const disposition = path === '/named' ? 'attachment; filename="two.pdf"' : 'attachment';
      response
        .writeHead(path === '/gone.pdf' ? 410 : 200, { 'content-type': type, 'content-disposition': disposition })
        .end(body);
    }
  });
  await new Promise<void>((resolve) => void site.listen(0, '127.0.0.1', resolve));
  const address = site.address();
  origin = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
});
afterAll(() => void site.close());

const ofFile = (body: Buffer, fields: object = {}): Promise<CaptureAnswer> =>
  capture(service.url, { file: 'a.pdf', files: { 'a.pdf': body.toString('base64') }, ...fields });

async function markdownOf(body: Buffer): Promise<string> {
  const answer = await ofFile(body, { format: 'markdown' });
  expect(answer.status).toBe(200);
  return answer.body.toString();
}

describe.concurrent('a PDF as source', () => {
  it('has the status of its answer', async () => {
    const gone = { url: `${origin}/gone.pdf`, format: 'markdown' };
    const { status, headers } = await capture(service.url, gone);

    expect([status, headers.get('x-target-status')]).toEqual([200, '410']);
    expect(readError(await capture(service.url, { ...gone, fail_on_status: ['4xx'] }))).toMatchObject({
      error_type: 'PageStatusError',
      message: 'The page answered with status 410',
    });
  });

  it('is shown page by page, at the width of the window and its density', async () => {
    const answers = await Promise.all(
      [{}, { pdf_page: 2 }, { full_page: true }, { pixel_density: 2 }].map(async (fields) => {
        const { body } = await ofFile(TWO, { window_width: 150, ...fields });
        return await readPicture(body);
      }),
    );

    expect(answers.map(({ width, height }) => [width, height])).toEqual([
      [150, 100],
      [150, 50],
      [150, 150],
      [300, 200],
    ]);
    expect(answers.map(({ pixel }) => pixel(10, 10).slice(0, 3))).toEqual([
      [255, 0, 0],
      [0, 0, 255],
      [255, 0, 0],
      [255, 0, 0],
    ]);
    expect(answers[2]?.pixel(10, 140).slice(0, 3)).toEqual([0, 0, 255]);
  });

  it.each(['jpeg', 'webp', 'avif'])('is shown as %s', async (format) => {
    const { body, headers } = await ofFile(TWO, { window_width: 150, format });

    expect(headers.get('content-type')).toBe(`image/${format}`);
    expect((await readPicture(body)).width).toBe(150);
  });

  it('is the result itself as pdf', async () => {
    expect((await ofFile(TWO, { format: 'pdf' })).body.equals(TWO)).toBe(true);
  });

  it.each([
    ['/counted.pdf', 1],
    ['/moved.pdf', 1],
    ['/download.pdf', 1],
    ['/report', 2], // only its type tells
    ['/named', 2],
  ])('is found at %s', async (path, requests) => {
    const { status, body, headers } = await capture(service.url, { url: origin + path, window_width: 150 });

    expect(status).toBe(200);
    expect((await readPicture(body)).height).toBe(100);
    expect(headers.get('x-target-status')).toBe('200');
    expect(visits.get(path)).toBe(requests);
  });

  it('has metadata and its address in JSON', async () => {
    const fields = { response_type: 'json', include: ['metadata', 'markdown'], window_width: 150 };
    const { json } = await capture(service.url, { url: `${origin}/two.pdf`, ...fields });

    expect(json()).toMatchObject({
      target: { url: `${origin}/two.pdf`, status: 200 },
      file: { width: 150, height: 100 },
      metadata: { title: 'Two pages', author: 'Ines', language: 'de' },
      warnings: ['pdf_text_missing'],
    });
  });

  it('is read column by column, with headings by size', async () => {
    const text = await markdownOf(COLUMNS);

    expect(text.startsWith('# A title over both columns')).toBe(true);
    expect(text.match(/(?:left|right)\d|Page 1/g)).toEqual([
      'left0',
      'left1',
      'left2',
      'left3',
      'right0',
      'right1',
      'right2',
      'right3',
      'Page 1',
    ]);
  });

  it('has its tables as tables, and the values of its form', async () => {
    expect(await markdownOf(TABLE)).toContain('| Fruit | Price |\n| --- | --- |\n| Pear | 3.50 |\n| Quince | 2.80 |');
    expect(await markdownOf(FORM)).toContain('Name: Ines Vogel');
    const { body } = await ofFile(FORM, { window_width: 300 });
    const { pixel } = await readPicture(body);
    const row = Array.from({ length: 200 }, (_, x) => pixel(80 + x, 48)[0]);
    expect(Math.min(...row)).toBeLessThan(128);
  });

  it('runs no scripts, and says so', async () => {
    const { headers } = await ofFile(SCRIPT, { format: 'markdown' });

    expect(headers.get('x-capture-warnings')).toBe('pdf_scripts_ignored');
  });

  it.each([
    [{ pdf_page: 3 }, 'pdf_page: the document has 2 pages'],
    [{ file: 'b.pdf' }, 'file: must be a name in files'],
    [{ html_content: 'x' }, "file: can't be combined with url, html_content or markdown_content"],
    [
      { format: 'pdf', pdf_watermark: 'DRAFT' },
      'pdf_watermark: has no effect on a PDF as source, which stays as it is; POST /documents changes it',
    ],
    [
      { format: 'pdf', pdf_password: 'x' },
      'pdf_password: has no effect on a PDF as source, which stays as it is; POST /documents changes it',
    ],
    [{ pdf_page: 0 }, 'pdf_page: must be a whole number from 1 to 100000'],
  ])('refuses %o', async (fields, details) => {
    expect(readError(await ofFile(TWO, fields))).toEqual(invalid(details));
  });

  it('refuses what is no PDF', async () => {
    const damaged = await ofFile(Buffer.from('%PDF-1.7 and nothing else'));
    expect(readError(damaged)).toEqual(invalid('file: it is a PDF that is damaged'));
    for (const path of ['/false.pdf', '/data.bin']) {
      const { message } = readError(await capture(service.url, { url: origin + path }));
      expect(message).toMatch(/^The page could not be loaded: it is a download/);
    }
  });

  it('refuses pages that are too large, before it draws them', async () => {
    const tall = plainPdf([{ size: [1, 14_000] }]);
    const { status, error_type: type } = readError(await ofFile(tall));

    expect({ status, type }).toEqual({ status: 400, type: 'ResultTooLargeError' });
  });
});
