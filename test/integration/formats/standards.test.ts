import { readFile } from 'node:fs/promises';
import { getDocument, OPS } from 'pdfjs-dist/legacy/build/pdf.mjs';
import { beforeAll, describe, expect, it } from 'vitest';
import { invalid, readError } from '../../support/errors.ts';
import { type CaptureAnswer, capture } from '../../support/http.ts';
import { type SharedService, sharedService } from '../../support/shared-service.ts';

const EXAMPLE = new URL('../../../examples/e-invoice/', import.meta.url);
const XML = await readFile(new URL('factur-x.xml', EXAMPLE));
const PAGE = '<!doctype html><html lang="en"><title>Invoice & <Co></title><h1>Invoice</h1>';
const STANDARDS = 'must be a list of PDF/A-2b, PDF/A-3b, PDF/UA-1, with at most one for archives';
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const invoice = { name: 'factur-x.xml', base64: XML.toString('base64'), relationship: 'alternative' };
const ofProfile = (guideline: string) => ({
  ...invoice,
  base64: base64(XML.toString('utf8').replace('urn:cen.eu:en16931:2017', guideline)),
});

let service: SharedService;
beforeAll(async () => {
  service = await sharedService();
});

const print = (fields: object): Promise<CaptureAnswer> =>
  capture(service.url, { html_content: PAGE, format: 'pdf', ...fields });

async function opened(answer: CaptureAnswer) {
  expect(answer.status).toBe(200);
  const document = await getDocument({ data: Uint8Array.from(answer.body) }).promise;
  const { metadata } = await document.getMetadata();
  const attachments: Record<string, { content: Uint8Array }> = (await document.getAttachments()) ?? {};
  return {
    xmp: metadata,
    contents: Object.fromEntries(
      Object.entries(attachments).map(([name, { content }]) => [name, Buffer.from(content)]),
    ),
    text: answer.body.toString('latin1'),
  };
}

describe.concurrent('pdf_standard', () => {
  it.each([
    ['PDF/A-2b', '2'],
    ['PDF/A-3b', '3'],
  ])('%s names itself, and has an identifier and a colour profile', async (name, part) => {
    const { xmp, text } = await opened(await print({ pdf_standard: [name], pdf_author: 'Ünï & <x>', locale: 'de-AT' }));

    expect(xmp?.get('pdfaid:part')).toBe(part);
    expect(xmp?.get('pdfaid:conformance')).toBe('B');
    expect(xmp?.get('dc:title')).toBe('Invoice & <Co>');
    expect(xmp?.get('dc:creator')).toEqual(['Ünï & <x>']);
    expect(text).toMatch(/\/ID \[<[\da-f]{32}><[\da-f]{32}>\]/);
    expect(text).toContain('/S /GTS_PDFA1');
  });

  it('is not met by a page with characters that no font has', async () => {
    const answer = await print({ html_content: `${PAGE}<p>box: \uE123`, pdf_standard: ['PDF/A-2b'] });

    expect(readError(answer)).toMatchObject({
      status: 400,
      error_type: 'PageRejectedError',
      error_details: 'pdf_standard: PDF/A-2b does not allow characters that no font has; the page shows boxes for them',
    });
  });

  it('is off by default: the document is that of the browser', async () => {
    const { xmp, text } = await opened(await print({}));

    expect(xmp).toBeNull();
    expect(text.match(/startxref/g)).toHaveLength(1);
  });
});

/** What a screen reader is told, as text: types of the structure around texts of pictures. */
async function heard(body: string): Promise<string> {
  const answer = await print({ html_content: PAGE.replace('<h1>Invoice</h1>', body), pdf_standard: ['PDF/UA-1'] });
  expect(answer.status).toBe(200);
  const document = await getDocument({ data: Uint8Array.from(answer.body) }).promise;
  const written = (node: { role?: string; alt?: string; children?: unknown[] }): string => {
    const inside = (node.children ?? [])
      .map((child) => written(Object(child)))
      .filter((part) => part !== '')
      .join(' ');
    const { role } = node;
    if (role === undefined || role === 'Root' || role === 'NonStruct' || role === 'Document') return inside.trim();
    const text = [node.alt, inside].filter((part) => part !== undefined && part.trim() !== '').join(' ');
    return `${role}(${text})`;
  };
  const page = await document.getPage(1);
  return written((await page.getStructTree()) ?? {}).replaceAll(/\s+/g, ' ');
}

describe.concurrent('PDF/UA-1', () => {
  const picture =
    '<img alt="Tea" width="9" height="9" src="data:image/gif;base64,R0lGODlhAQABAIAAAAUEBAAAACwAAAAAAQABAAACAkQBADs=">';

  it.each([
    ['headings leave no level out', '<h2>a</h2><h5>b</h5><h3>c</h3><h1>d</h1><h2>e</h2>', 'H1() H2() H2() H1() H2()'],
    [
      'an empty cell keeps its column',
      '<table><tr><th>a<th>b<tr><td><td>c</table>',
      'Table(TR(TH() TH()) TR(TD() TD()))',
    ],
    ['short rows are filled', '<table><tr><th>a<th>b<tr><td>c</table>', 'Table(TR(TH() TH()) TR(TD() TD()))'],
    [
      'rows below a tall cell are not',
      '<table><tr><th rowspan="2">a<th>b<tr><td>c</table>',
      'Table(TR(TH() TH()) TR(TD()))',
    ],
    ['an item has a label and a body', '<ul><li>a<ul><li>b</ul></ul>', 'L(LI(Lbl() LBody(L(LI(Lbl() LBody())))))'],
    ['other content of a list is an item', '<ul><p>a</p><li>b</ul>', 'L(LI(LBody(P())) LI(Lbl() LBody()))'],
    ['an item outside of a list is a group', '<main><li>a</main>', 'Div()'],
    [
      'a figure with a caption is a group',
      `<figure>${picture}<figcaption>b</figcaption></figure>`,
      'Div(Figure(Tea) Caption())',
    ],
    ['a picture for decoration is none', `<p>a${picture.replace('Tea', '')}</p>`, 'P()'],
  ])('%s', async (_title, body, expected) => {
    expect(await heard(body)).toBe(expected);
  });

  it('describes links, of pictures and places too', async () => {
    const html_content = `${PAGE}<a href="https://example.com/a">First  link</a><a href="https://example.com/b">${picture}</a><a href="https://example.com/c" aria-label="Label">x</a><a href="#ü">Place</a><a href="https://example.com/d"><svg width="9" height="9"><circle r="9"/></svg></a><h2 id="ü">h</h2>`;
    const answer = await print({ html_content, pdf_standard: ['PDF/UA-1'] });
    const document = await getDocument({ data: Uint8Array.from(answer.body) }).promise;
    const page = await document.getPage(1);
    const links: { contentsObj: { str: string } }[] = await page.getAnnotations();

    expect([...new Set(links.map(({ contentsObj }) => contentsObj.str))]).toEqual([
      'First link',
      'Tea',
      'Label',
      'Place',
      'https://example.com/d',
    ]);
  });

  it.each([
    ['<p>', 'needs a page with content'],
    [
      `${picture.replace(' alt="Tea"', '')}<p>a`,
      'needs an alternative text for each picture: alt for img, aria-label for others, alt="" for decoration. 1 without, on sheet 1',
    ],
    [
      '<iframe srcdoc="a"></iframe>',
      'does not allow frames: Chrome prints their text without tags. hide_selectors leaves them out',
    ],
    ['<p style="filter:blur(1px)">a', 'does not allow text under a CSS filter: Chrome prints a picture of it'],
    ['<p style="mask:linear-gradient(#000,#0000)">a', 'does not allow content under a mask'],
  ])('is not met by %s', async (body, reason) => {
    const html_content = PAGE.replace('<h1>Invoice</h1>', body);
    const answer = await print({ html_content, pdf_standard: ['PDF/A-3b', 'PDF/UA-1'] });

    expect(readError(answer)).toMatchObject({
      status: 400,
      error_type: 'PageRejectedError',
      error_details: `pdf_standard: PDF/UA-1 ${reason}`,
    });
  });

  it('needs a language and a title, of the page or of the request', async () => {
    const bare = { html_content: '<!doctype html><h1>a', pdf_standard: ['PDF/UA-1'] };

    expect(readError(await print(bare)).error_details).toBe(
      'pdf_standard: PDF/UA-1 needs the language of the page: lang of the root element, or locale',
    );
    expect(readError(await print({ ...bare, locale: 'de-AT' })).error_details).toBe(
      'pdf_standard: PDF/UA-1 needs a title: that of the page, or pdf_title',
    );
    const { xmp } = await opened(await print({ ...bare, locale: 'de-AT', pdf_title: 'Brief' }));
    expect(xmp?.get('pdfuaid:part')).toBe('1');
    expect(xmp?.get('pdfaid:part')).toBeNull();
  });

  it('draws the same as without, all of it in tags or as artifacts', async () => {
    const html_content = `${PAGE}<ul><li>a</ul><p style="opacity:.5;border:1px solid">b${picture}</p><div style="background:tan;height:9px"></div><details open><summary>c</summary></details>`;
    const pdf_footer_html = '<b>foot</b>';
    const [before, after] = await Promise.all(
      [undefined, ['PDF/UA-1']].map(
        async (pdf_standard) => await drawn(await print({ html_content, pdf_standard, pdf_footer_html })),
      ),
    );

    expect(after?.commands).toEqual(before?.commands);
    expect(before?.unmarked).toBeGreaterThan(0);
    expect(after?.unmarked).toBe(0);
  });
});

const MARKS: ReadonlySet<number> = new Set([OPS.beginMarkedContent, OPS.beginMarkedContentProps]);
const PAINTS: ReadonlySet<number> = new Set([OPS.showText, OPS.paintImageXObject, OPS.constructPath, OPS.fill]);

/** Returns the drawing commands of the first page, and how many paint outside of tags and artifacts. */
async function drawn({ body }: CaptureAnswer): Promise<{ commands: number[]; unmarked: number }> {
  const document = await getDocument({ data: Uint8Array.from(body) }).promise;
  const page = await document.getPage(1);
  const { fnArray, argsArray } = await page.getOperatorList();
  const commands: number[] = [];
  let [depth, unmarked] = [0, 0];
  for (const [index, command] of fnArray.entries()) {
    const isClip = command === OPS.constructPath && argsArray[index]?.[0] === OPS.endPath;
    if (MARKS.has(command)) depth++;
    else if (command === OPS.endMarkedContent) depth--;
    else commands.push(command);
    if (PAINTS.has(command) && !isClip && depth === 0) unmarked++;
  }
  return { commands, unmarked };
}

describe.concurrent('pdf_attachments', () => {
  it('come out as they went in, with names of any script', async () => {
    const { contents, text } = await opened(
      await print({
        pdf_attachments: [
          { name: 'dätä.csv', base64: base64('a,b\n'), relationship: 'data', description: 'Zahlen' },
          { name: 'plan (1).bin', file: 'plans/1.bin', media_type: 'application/x-plan' },
        ],
        files: { 'plans/1.bin': base64('\0\xFF endstream endobj') },
      }),
    );

    expect(contents).toEqual({
      'dätä.csv': Buffer.from('a,b\n'),
      'plan (1).bin': Buffer.from('\0\xFF endstream endobj'),
    });
    expect(text).toContain('/AFRelationship /Data');
    expect(text).toContain('/AFRelationship /Unspecified');
    expect(text).toContain('/Subtype /text#2fcsv');
    expect(text).toContain('/Subtype /application#2fx-plan');
  });

  it.each([
    ['urn:cen.eu:en16931:2017', 'EN 16931', 'alternative'],
    ['urn:cen.eu:en16931:2017#compliant#urn:factur-x.eu:1p0:basic', 'BASIC', 'alternative'],
    ['urn:cen.eu:en16931:2017#conformant#urn:factur-x.eu:1p0:extended', 'EXTENDED', 'alternative'],
    ['urn:cen.eu:en16931:2017#compliant#urn:xeinkauf.de:kosit:xrechnung_3.0', 'XRECHNUNG', 'source'],
    ['urn:cen.eu:en16931:2017#conformant#urn.cpro.gouv.fr:1p0:extended-ctc-fr', 'EXTENDED', 'alternative'],
    ['urn:factur-x.eu:1p0:basicwl', 'BASIC WL', 'data'],
    ['urn:factur-x.eu:1p0:minimum', 'MINIMUM', 'data'],
  ])('make an e-invoice of %s', async (guideline, profile, relationship) => {
    const name = profile === 'XRECHNUNG' ? 'xrechnung.xml' : 'factur-x.xml';
    const pdf_attachments = [{ ...ofProfile(guideline), relationship, name }];
    const { xmp } = await opened(await print({ pdf_standard: ['PDF/A-3b'], pdf_attachments }));

    expect(xmp?.get('fx:conformancelevel')).toBe(profile);
    expect(xmp?.get('fx:documentfilename')).toBe(name);
  });

  it.each(['utf16le', 'utf16be'])('make an e-invoice of XML in %s', async (encoding) => {
    const bytes = Buffer.from(`\uFEFF${XML.toString('utf8')}`, 'utf16le');
    if (encoding === 'utf16be') bytes.swap16();
    const pdf_attachments = [{ ...invoice, base64: bytes.toString('base64') }];
    const { xmp } = await opened(await print({ pdf_standard: ['PDF/A-3b'], pdf_attachments }));

    expect(xmp?.get('fx:conformancelevel')).toBe('EN 16931');
  });

  it.each([
    [{ pdf_standard: ['PDF/A-1b'] }, `pdf_standard[0]: ${STANDARDS}`],
    [{ pdf_standard: [] }, `pdf_standard: ${STANDARDS}`],
    [{ pdf_standard: ['PDF/A-2b', 'PDF/A-3b'] }, `pdf_standard: ${STANDARDS}`],
    [{ pdf_standard: ['PDF/UA-1', 'PDF/UA-1'] }, `pdf_standard: ${STANDARDS}`],
    [{ pdf_standard: ['PDF/UA-1'], pdf_tagged: false }, 'pdf_standard: PDF/UA-1 needs pdf_tagged'],
    [
      { pdf_standard: ['PDF/UA-1'], pdf_owner_password: 'x' },
      'pdf_standard: does not allow pdf_password and pdf_owner_password',
    ],
    [{ pdf_attachments: [] }, 'pdf_attachments: must have at least one attachment'],
    [{ pdf_attachments: [{ name: 'a' }] }, 'pdf_attachments[0]: needs either base64 or file'],
    [
      { pdf_attachments: [{ name: 'a', base64: 'YQ==', file: 'a' }] },
      'pdf_attachments[0]: needs either base64 or file',
    ],
    [{ pdf_attachments: [{ name: 'a', file: 'a' }] }, 'pdf_attachments[0].file: must name a part of files'],
    [
      { pdf_attachments: [{ name: 'a', file: 'a' }], files: { b: 'YQ==' } },
      'pdf_attachments[0].file: must name a part of files',
    ],
    [
      { pdf_attachments: [{ name: 'a', base64: '*' }] },
      'pdf_attachments[0].base64: must be base64 without line breaks',
    ],
    [
      { pdf_attachments: [{ name: 'a/b', base64: 'YQ==' }] },
      'pdf_attachments[0].name: must be a file name of 1 to 200 characters, without / \\ and control characters',
    ],
    [
      { pdf_attachments: [{ name: 'a', base64: 'YQ==', relationship: 'other' }] },
      'pdf_attachments[0].relationship: must be one of data, source, alternative, supplement, unspecified',
    ],
    [
      { pdf_attachments: [{ name: 'a', base64: 'YQ==', media_type: 'xml' }] },
      'pdf_attachments[0].media_type: must be a media type such as text/xml',
    ],
    [
      { pdf_attachments: ['YQ==', 'Yg=='].map((each) => ({ name: 'a', base64: each })) },
      'pdf_attachments: must have different names',
    ],
    [
      { pdf_standard: ['PDF/A-2b'], pdf_attachments: [invoice] },
      'pdf_attachments: needs PDF/A-3b, because PDF/A-2b holds no other files',
    ],
    [
      { pdf_standard: ['PDF/A-3b'], pdf_attachments: [ofProfile('urn:other')] },
      'pdf_attachments[0]: factur-x.xml must name a profile of Factur-X',
    ],
    [
      { pdf_standard: ['PDF/A-3b'], pdf_attachments: [{ ...invoice, name: 'ZUGFeRD-invoice.xml' }] },
      'pdf_attachments[0].name: must be factur-x.xml for an e-invoice of the profile EN 16931',
    ],
    [
      {
        pdf_standard: ['PDF/A-3b'],
        pdf_attachments: [ofProfile('urn:cen.eu:en16931:2017#compliant#urn:xeinkauf.de:kosit:xrechnung_3.0')],
      },
      'pdf_attachments[0].name: must be xrechnung.xml for an e-invoice of the profile XRECHNUNG',
    ],
    [
      { pdf_standard: ['PDF/A-3b'], pdf_attachments: [{ ...invoice, relationship: 'supplement' }] },
      'pdf_attachments[0].relationship: must be alternative or source for factur-x.xml of the profile EN 16931',
    ],
    [
      { pdf_standard: ['PDF/A-3b'], pdf_attachments: [ofProfile('urn:factur-x.eu:1p0:minimum')] },
      'pdf_attachments[0].relationship: must be data or source for factur-x.xml of the profile MINIMUM',
    ],
  ])('refuses %j', async (fields, details) => {
    expect(readError(await print(fields))).toEqual(invalid(details));
  });

  it('takes files for attachments beside a url', async () => {
    const fields = { url: `${service.url}/health`, html_content: undefined, files: { a: 'YQ==' } };

    expect(readError(await print(fields))).toEqual(
      invalid("files: can't be combined with url, it is for html_content and markdown_content"),
    );
    const answer = await print({ ...fields, pdf_attachments: [{ name: 'a.txt', file: 'a' }] });
    expect(readError(answer)).not.toMatchObject({ error_type: 'ValidationError' });
  });
});
