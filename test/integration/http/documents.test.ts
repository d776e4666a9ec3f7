import { PDFDocument, PDFName } from '@cantoo/pdf-lib';
import { unzipSync } from 'fflate';
import { getDocument } from 'pdfjs-dist/legacy/build/pdf.mjs';
import { beforeAll, describe, expect, it } from 'vitest';
import { invalid, readError } from '../../support/errors.ts';
import { capture } from '../../support/http.ts';
import { readPicture } from '../../support/pixels.ts';
import { firstFree, pageNumber, plainPdf, texts } from '../../support/plain-pdf.ts';
import { type SharedService, sharedService } from '../../support/shared-service.ts';

const [FIRST, SECOND] = [pageNumber(0), pageNumber(1)];
const FREE = firstFree(2);
const page = (text: string, entries = '') => ({ commands: texts([30, 150, text]), entries });
const link = (target: string): string => `<</Type/Annot/Subtype/Link/Rect[0 0 50 50]/Border[0 0 0]/Dest${target}>>`;
/** Two pages with a bookmark and a link to the second, a named place, a file and a field. */
const bookOf = (word: string): Buffer =>
  plainPdf(
    [
      page(`${word} one`, `/Annots[${link(`[${SECOND} 0 R/Fit]`)} ${link('(place)')} ${FREE + 2} 0 R]`),
      page(`${word} two`),
    ],
    {
      entries:
        `/Outlines ${FREE} 0 R/AcroForm<</Fields[${FREE + 2} 0 R]/DA(/F 12 Tf)/DR<</Font<</F 3 0 R>>>>>>` +
        `/Names<</Dests<</Names[(place)[${SECOND} 0 R/Fit]]>>/EmbeddedFiles<</Names[(data.xml)${FREE + 3} 0 R]>>>>` +
        '/PageLabels<</Nums[0<</S/r>>]>>/Lang(en)',
      objects: [
        `<</Type/Outlines/First ${FREE + 1} 0 R/Last ${FREE + 1} 0 R/Count 1>>`,
        `<</Title(${word} end)/Parent ${FREE} 0 R/Dest[${SECOND} 0 R/Fit]>>`,
        `<</Type/Annot/Subtype/Widget/FT/Tx/T(name)/V(${word})/DA(/F 12 Tf)/F 4/Rect[30 30 200 60]/P ${FIRST} 0 R>>`,
        `<</Type/Filespec/F(data.xml)/UF(data.xml)/EF<</F ${FREE + 4} 0 R>>>>`,
        `<</Type/EmbeddedFile/Length 4>>\nstream\n<${word[0]}/>\nendstream`,
        `<</Title(${word})/Author(Ines)>>`,
      ],
      trailer: `/Info ${FREE + 5} 0 R`,
    },
  );
const [PEAR, QUINCE] = [bookOf('Pear'), bookOf('Quince')];
const partOf = (body: Buffer, fields: object = {}): object => ({ base64: body.toString('base64'), ...fields });

const PIXEL = 'data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7';
const NO_SUCH_FILE = 'parts[0]';

let service: SharedService;
beforeAll(async () => {
  service = await sharedService();
});

async function post(path: string, body: object) {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(new URL(path, service.url), { method: 'POST', headers, body: JSON.stringify(body) });
  return {
    status: response.status,
    headers: response.headers,
    body: Buffer.from(await response.arrayBuffer()),
  };
}

async function made(path: string, body: object): Promise<Buffer> {
  const answer = await post(path, body);
  expect({ status: answer.status, text: answer.status === 200 ? '' : answer.body.toString() }).toEqual({
    status: 200,
    text: '',
  });
  return answer.body;
}

/** Returns a document with a word as the number of each page. */
const numberedWith = (part: object, word: string): Promise<Buffer> =>
  made('/documents', { parts: [part], page_numbers: { template: `<b>${word}</b>` } });

/** Returns the distances of a word from the bottom of the first page. */
async function heightsOf(body: Buffer, word: string): Promise<number[]> {
  const document = await getDocument({ data: Uint8Array.from(body), verbosity: 0 }).promise;
  const { items } = await (await document.getPage(1)).getTextContent();
  return items.flatMap((item) => ('str' in item && item.str === word ? [Math.round(Number(item.transform[5]))] : []));
}

const drawing = (commands: string): string =>
  `<</Type/XObject/Subtype/Form/BBox[0 0 300 200]/Length ${commands.length}>>\nstream\n${commands}\nendstream`;
const withLayer = (layer: number): string => `/Resources<</Font<</F 3 0 R>>/Properties<</L ${layer} 0 R>>>>`;
const widget = (entries: string): string => `<</Type/Annot/Subtype/Widget/F 4/Rect[0 0 50 50]${entries}>>`;
const signed = (entries: string): string => widget(`${entries}/V<</Type/Sig/Contents<00>>>`);

const hasSecret = (body: Buffer): boolean => /SECRET|005300450043|534543/i.test(body.toString('latin1'));

interface Outline {
  readonly title: string;
  readonly dest: unknown;
  readonly items: readonly Outline[];
}

/** What a reader finds in a document. Pages are numbers from 1. */
async function opened(body: Buffer, password?: string) {
  const document = await getDocument({ data: Uint8Array.from(body), password, verbosity: 0 }).promise;
  const pageOf = async (place: unknown): Promise<number> => {
    const list = typeof place === 'string' ? await document.getDestination(place) : place;
    return Array.isArray(list) ? (await document.getPageIndex(list[0])) + 1 : 0;
  };
  const listed = async (items: readonly Outline[]): Promise<object[]> =>
    await Promise.all(
      items.map(async ({ title, dest, items: below }) => ({
        title,
        page: dest === null ? 0 : await pageOf(dest),
        ...(below.length > 0 && { below: await listed(below) }),
      })),
    );
  const pages = await Promise.all(
    Array.from({ length: document.numPages }, async (_, index) => {
      const each = await document.getPage(index + 1);
      const { items } = await each.getTextContent();
      const annotations: readonly { subtype: string; dest?: unknown; fieldName?: string; fieldValue?: unknown }[] =
        await each.getAnnotations();
      const links = annotations.filter(({ subtype }) => subtype === 'Link');
      return {
        text: items.map((item) => ('str' in item ? item.str : '')).join(''),
        size: each.view.slice(2),
        rotate: each.rotate,
        links: await Promise.all(links.map(async ({ dest }) => await pageOf(dest))),
        fields: annotations.flatMap(({ fieldName, fieldValue }) =>
          fieldName === undefined ? [] : [[fieldName, fieldValue]],
        ),
      };
    }),
  );
  const { info } = await document.getMetadata();
  return {
    pages,
    outline: await listed((await document.getOutline()) ?? []),
    files: Object.keys((await document.getAttachments()) ?? {}),
    labels: await document.getPageLabels(),
    info,
  };
}

describe.concurrent('POST /documents', () => {
  it('joins documents with their bookmarks, links, names, fields, files and labels', async () => {
    const { pages, outline, files, labels, info } = await opened(
      await made('/documents', { parts: [partOf(PEAR), partOf(QUINCE)] }),
    );

    expect(pages.map(({ text }) => text)).toEqual(['Pear one', 'Pear two', 'Quince one', 'Quince two']);
    expect(pages.map(({ links }) => links)).toEqual([[2, 2], [], [4, 4], []]);
    expect(pages.map(({ fields }) => fields)).toEqual([[['name', 'Pear']], [], [['name-2', 'Quince']], []]);
    expect(outline).toEqual([
      { title: 'Pear end', page: 2 },
      { title: 'Quince end', page: 4 },
    ]);
    expect(files.toSorted()).toEqual(['data-2.xml', 'data.xml']);
    expect(labels).toEqual(['i', 'ii', 'i', 'ii']);
    expect(info).toMatchObject({ Title: 'Pear', Author: 'Ines' });
  });

  it('takes the pages of a part, turns them, and says which links lead nowhere', async () => {
    const answer = await post('/documents', {
      parts: [partOf(PEAR, { pages: '1', rotate: 90 }), partOf(QUINCE, { pages: '2-' })],
      outline: 'titles',
    });
    const { pages, outline, files } = await opened(answer.body);

    expect(pages.map(({ text, rotate }) => [text, rotate])).toEqual([
      ['Pear one', 90],
      ['Quince two', 0],
    ]);
    expect(pages[0]?.links).toEqual([0, 0]);
    expect(outline).toEqual([
      { title: 'Pear', page: 1 },
      { title: 'Quince', page: 2, below: [{ title: 'Quince end', page: 2 }] },
    ]);
    expect(files).toHaveLength(2);
    expect(answer.headers.get('x-capture-warnings')).toBe('pdf_links_removed');
  });

  it('has captures as parts, and draws page numbers and a watermark on each page as it is seen', async () => {
    const body = await made('/documents', {
      parts: [
        { capture: { html_content: '<p>Cover', pdf_format: 'A5' }, title: 'Start' },
        partOf(PEAR, { pages: '2', rotate: 90 }),
      ],
      outline: 'titles',
      page_numbers: { template: '<b>No. <span class=pageNumber></span> of <span class=totalPages></span></b>' },
      pdf_watermark: 'DRAFT',
      pdf_title: 'Offer',
    });
    const { pages, outline, info } = await opened(body);

    expect(pages.map(({ text }) => text.replaceAll(/\s+/g, ' '))).toEqual(['CoverNo. 1 of 2', 'Pear twoNo. 2 of 2']);
    expect(outline).toMatchObject([
      { title: 'Start', page: 1 },
      { title: 'Pear', page: 2 },
    ]);
    expect(info).toMatchObject({ Title: 'Offer' });
  });

  it('locks the result, and adds files', async () => {
    const body = await made('/documents', {
      parts: [partOf(PEAR)],
      pdf_password: 'sesame',
      pdf_owner_password: 'all',
      pdf_permissions: ['print'],
      pdf_attachments: [{ name: 'prices.csv', base64: 'YQ==', relationship: 'data' }],
    });

    await expect(opened(body)).rejects.toThrow('No password given');
    expect((await opened(body, 'sesame')).files.toSorted()).toEqual(['data.xml', 'prices.csv']);
  });

  it('opens a part with its password', async () => {
    const { body: locked } = await capture(service.url, {
      html_content: '<p>secret',
      format: 'pdf',
      pdf_password: 'p',
    });
    const { pages } = await opened(await made('/documents', { parts: [partOf(locked, { password: 'p' })] }));

    expect(pages[0]?.text).toBe('secret');
    expect(readError(await post('/documents', { parts: [partOf(PEAR), partOf(locked)] }))).toEqual(
      invalid('parts[1]: needs the right password'),
    );
  });

  it('keeps tags of captures, with ids that differ, and claims standards', async () => {
    const table = '<h1>Prices</h1><table><tr><th>Fruit<th>Price<tr><td>Pear<td>3.50</table>';
    const part = { capture: { html_content: `<!doctype html><html lang=en><title>Prices</title>${table}` } };
    const body = await made('/documents', {
      parts: [part, part],
      pdf_standard: ['PDF/A-2b', 'PDF/UA-1'],
      pdf_title: 'Twice',
    });
    const document = await getDocument({ data: Uint8Array.from(body), verbosity: 0 }).promise;
    const trees = await Promise.all(
      [1, 2].map(async (n) => JSON.stringify(await (await document.getPage(n)).getStructTree())),
    );

    expect(trees.map((tree) => tree.includes('"TH"'))).toEqual([true, true]);
    expect(await document.getMarkInfo()).toMatchObject({ Marked: true });
    expect(body.toString('latin1')).toContain('pdfuaid:part');
  });

  it('draws over what it drew before, and behind states that were not restored', async () => {
    const open = plainPdf([{ commands: `q 3 0 0 3 0 0 cm q ${texts([10, 40, 'open'])}` }]);
    const once = await numberedWith(partOf(open), 'FIRST');
    const twice = await numberedWith(partOf(once), 'SECOND');

    expect(await heightsOf(twice, 'FIRST')).toEqual(await heightsOf(once, 'FIRST'));
    expect(await heightsOf(twice, 'SECOND')).toEqual(await heightsOf(once, 'FIRST'));
    expect((await heightsOf(once, 'FIRST'))[0]).toBeLessThan(28); // the margin at the bottom
  });

  it('has nothing of pages that were not chosen', async () => {
    const { body: whole } = await capture(service.url, {
      html_content: `<!doctype html><html lang=en><title>t</title><p>one<p style="break-before:page"><img alt="SECRET" width=9 height=9 src="${PIXEL}">two`,
      format: 'pdf',
    });
    const all = await made('/documents', { parts: [partOf(whole)] });
    const first = await made('/documents', { parts: [partOf(whole, { pages: '1' })] });

    expect([hasSecret(all), hasSecret(first)]).toEqual([true, false]);
  });

  it('takes the newest revision, pages that stand twice, fields without a place, and names like those of links', async () => {
    const old = page('old');
    const text = plainPdf([old], { objects: [] }).toString('latin1');
    const revised = Buffer.from(
      `${text}5 0 obj\n<</Length 38>>\nstream\n${texts([30, 150, 'new']).padEnd(38)}\nendstream\nendobj\nxref\n5 1\n${String(text.length).padStart(10, '0')} 00000 n \ntrailer<</Size 6/Root 1 0 R/Prev ${/startxref\n(\d+)/.exec(text)?.[1]}>>\nstartxref\n${text.length + 5 + 100}\n%%EOF\n`,
      'latin1',
    );
    const twice = Buffer.from(
      plainPdf([page('a'), page('b')])
        .toString('latin1')
        .replace('/Count 2/Kids[4 0 R 6 0 R]', '/Count 3/Kids[4 0 R 4 0 R]'),
      'latin1',
    );
    const hidden = plainPdf([page('c')], {
      entries: `/AcroForm<</Fields[${firstFree(1)} 0 R]>>`,
      objects: ['<</FT/Tx/T(total)/V(4711)>>'],
    });

    expect((await opened(await made('/documents', { parts: [partOf(revised)] }))).pages).toHaveLength(1);
    expect((await opened(await made('/documents', { parts: [partOf(twice)] }))).pages).toHaveLength(2);
    expect((await made('/documents', { parts: [partOf(hidden)] })).toString('latin1')).toContain('total');
  });

  it('leaves out scripts of fields that have another name now', async () => {
    const sum = plainPdf([page('sum', `/Annots[${firstFree(1)} 0 R]`)], {
      entries: `/AcroForm<</Fields[${firstFree(1)} 0 R]/CO[${firstFree(1)} 0 R]>>`,
      objects: [
        '<</Type/Annot/Subtype/Widget/FT/Tx/T(sum)/V(3)/AA<</C<</S/JavaScript/JS(SUMS)>>>>/F 4/Rect[0 0 9 9]>>',
      ],
    });
    const { headers, body } = await post('/documents', { parts: [partOf(sum), partOf(sum)] });

    expect(headers.get('x-capture-warnings')).toBe('pdf_scripts_removed');
    expect(body.toString('latin1').match(/SUMS/g)).toHaveLength(1);
  });

  it('makes a stamp of a signature, and leaves out scripts and XFA', async () => {
    const shown = '<</Type/Annot/Subtype/Screen/Rect[0 0 9 9]/AA<</PO<</S/JavaScript/JS(x)>>>>>>';
    const withSignature = plainPdf([page('signed', `/Annots[${firstFree(1)} 0 R ${shown}]`)], {
      entries: `/AcroForm<</SigFlags 3/XFA(x)/Fields[${firstFree(1)} 0 R]>>/OpenAction<</S/JavaScript/JS(app.alert\\(1\\))>>`,
      objects: [
        `<</Type/Annot/Subtype/Widget/FT/Sig/T(s)/V<</Type/Sig/Contents<00>>>/F 4/Rect[0 0 50 50]/P ${FIRST} 0 R>>`,
      ],
    });
    const document = partOf(withSignature);
    const requests: readonly (readonly [path: string, body: object])[] = [
      ['/documents', { parts: [document] }],
      ['/documents/split', { document, mode: 'pages', span: '1', unify: true }],
      ['/documents/metadata', { document, metadata: { Title: 'T' } }],
      ['/documents/flatten', { document }],
    ];

    for (const [path, request] of requests) {
      const { headers, body } = await post(path, request);
      const warnings = headers.get('x-capture-warnings')?.split(',') ?? [];
      expect({ path, warnings }).toEqual({
        path,
        warnings: expect.arrayContaining(['pdf_scripts_removed', 'pdf_signatures_removed']),
      });
      expect(body.toString('latin1')).not.toMatch(/\/Sig\b|JavaScript/);
    }
  });

  it('opens at the page of the first part, and takes no comment of another page', async () => {
    const answer = '<</Type/Annot/Subtype/Text/Contents(reply)/Rect[0 0 9 9]/IRT';
    const commented = plainPdf([page('a', `/Annots[${FREE} 0 R]`), page('b', `/Annots[${answer} ${FREE} 0 R>>]`)], {
      entries: `/OpenAction[${SECOND} 0 R/Fit]`,
      objects: [`<</Type/Annot/Subtype/Text/Contents(QUESTION)/Rect[0 0 9 9]>>`],
    });
    const second = await made('/documents', { parts: [partOf(commented, { pages: '2' })] });

    expect((await opened(second)).pages[0]?.text).toBe('b');
    expect(second.toString('latin1')).toMatch(/\/OpenAction ?\[ ?\d+ 0 R/);
    expect(second.toString('latin1')).not.toContain('QUESTION');
  });

  it.each([
    ['all', `/Resources ${FREE} 0 R`],
    ['a part', `/Resources<</Font<</F 3 0 R>>/XObject ${FREE + 3} 0 R>>`],
  ])('takes no picture of a page that was not chosen, if pages share %s of their resources', async (_, entries) => {
    const drawings = `<</A ${FREE + 1} 0 R/B ${FREE + 2} 0 R>>`;
    const pages = ['/A Do', '/B Do'].map((commands) => ({ commands, entries }));
    const shared = plainPdf(pages, {
      objects: [
        `<</Font<</F 3 0 R>>/XObject ${FREE + 3} 0 R>>`,
        drawing(texts([30, 90, 'PUBLIC'])),
        drawing(texts([30, 90, 'SECRET'])),
        drawings,
      ],
    });
    const first = await made('/documents', { parts: [partOf(shared, { pages: '1' })] });

    expect(first.toString('latin1')).toContain('PUBLIC');
    expect(hasSecret(first)).toBe(false);
    expect(hasSecret(await made('/documents', { parts: [partOf(shared)] }))).toBe(true);
  });

  it('has a page that is no object of its own, and no layer of other pages', async () => {
    const layers = `/OCProperties<</OCGs[${FREE} 0 R ${FREE + 1} 0 R]/D<</Order[${FREE} 0 R ${FREE + 1} 0 R]>>>>`;
    const commands = `/OC /L BDC ${texts([30, 150, 'text'])} EMC`;
    const layered = plainPdf(
      [
        { commands, entries: withLayer(FREE) },
        { commands, entries: withLayer(FREE + 1) },
      ],
      { entries: layers, objects: ['<</Type/OCG/Name(shown)>>', '<</Type/OCG/Name(SECRET)>>'] },
    );
    const inline = '<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>';
    const inside = plainPdf([page('a')], { objects: [`<</Type/Pages/Parent 2 0 R/Count 1/Kids[${inline}]>>`] })
      .toString('latin1')
      .replace('/Count 1/Kids[4 0 R]', '/Count 2/Kids[4 0 R 6 0 R]');

    const first = await made('/documents', { parts: [partOf(layered, { pages: '1' })] });
    expect(first.toString('latin1')).toContain('shown');
    expect(hasSecret(first)).toBe(false);
    const both = await made('/documents', { parts: [partOf(Buffer.from(inside, 'latin1'))] });
    expect((await opened(both)).pages).toHaveLength(2);
  });

  it('shows the object that the table names, where two have its number', async () => {
    const text = plainPdf([page('right')]).toString('latin1');
    const twin = `5 0 obj\n<</Length 40>>\nstream\n${texts([30, 150, 'wrong']).padEnd(40)}\nendstream\nendobj\n`;
    const twins = Buffer.from(
      text
        .replace('xref\n', `${twin}xref\n`)
        .replace(/startxref\n(\d+)/, (_, at: string) => `startxref\n${Number(at) + twin.length}`),
      'latin1',
    );

    expect((await opened(await made('/documents', { parts: [partOf(twins)] }))).pages[0]?.text).toBe('right');
  });

  it('adds files beside those of the parts, whatever their names are', async () => {
    const more = { pdf_attachments: [{ name: 'data.xml', base64: 'YQ==' }] };

    expect((await opened(await made('/documents', { parts: [partOf(PEAR)], ...more }))).files.toSorted()).toEqual([
      'data-2.xml',
      'data.xml',
    ]);
  });

  it('makes stamps of signatures that no form lists, and of those whose type stands above them', async () => {
    const [field, kid] = [firstFree(1), firstFree(1) + 1];
    const pageOf = `/Annots[${kid} 0 R]`;
    const loose = plainPdf([page('a', pageOf)], { objects: ['<<>>', signed('/FT/Sig/T(s)')] });
    const inherited = plainPdf([page('a', pageOf)], {
      entries: `/AcroForm<</Fields[${field} 0 R]>>`,
      objects: [`<</FT/Sig/T(s)/Kids[${kid} 0 R]>>`, signed(`/Parent ${field} 0 R`)],
    });

    const answers = await Promise.all(
      [loose, inherited].flatMap((file) => [
        post('/documents', { parts: [partOf(file)] }),
        post('/documents/metadata', { document: partOf(file), metadata: { Title: 'T' } }),
      ]),
    );

    expect(answers.map(({ headers }) => headers.get('x-capture-warnings'))).toEqual(
      answers.map(() => 'pdf_signatures_removed'),
    );
    expect(answers.some(({ body }) => /\/Sig\b/.test(body.toString('latin1')))).toBe(false);
  });

  it('decodes a file once that is several parts', async () => {
    const files = { 'a.pdf': plainPdf([{ commands: ' '.repeat(7_000_000) }]).toString('base64') };
    const parts = Array.from({ length: 60 }, () => ({ file: 'a.pdf' }));

    // Not an answer that a retry could change.
    expect(readError(await post('/documents', { files, parts }))).toMatchObject({
      error_type: 'ResultTooLargeError',
      error_details: 'the parts have more than 104857600 bytes together',
    });
  });

  it('keeps fields of one name together, and takes none of other pages that no form lists', async () => {
    const same = plainPdf([page('a', `/Annots[${firstFree(1)} 0 R ${firstFree(1) + 1} 0 R]`)], {
      entries: `/AcroForm<</Fields[${firstFree(1)} 0 R ${firstFree(1) + 1} 0 R]>>`,
      objects: [widget('/FT/Tx/T(name)/V(x)'), widget('/FT/Tx/T(name)/V(x)')],
    });
    const loose = plainPdf([page('a', `/Annots[${FREE + 1} 0 R]`), page('b', `/Annots[${FREE + 2} 0 R]`)], {
      objects: [
        `<</FT/Tx/T(top)/Kids[${FREE + 1} 0 R ${FREE + 3} 0 R]>>`,
        widget(`/T(a)/Parent ${FREE} 0 R`),
        widget(`/Parent ${FREE + 3} 0 R`),
        `<</T(b)/V(SECRET)/Parent ${FREE} 0 R/Kids[${FREE + 2} 0 R]>>`,
      ],
    });

    const { pages } = await opened(await made('/documents', { parts: [partOf(same), partOf(same)] }));
    expect(pages.map(({ fields }) => fields.map(([name]) => name))).toEqual([
      ['name', 'name'],
      ['name-2', 'name-2'],
    ]);
    expect(hasSecret(await made('/documents', { parts: [partOf(loose, { pages: '1' })] }))).toBe(false);
  });

  it('stores equal streams once', async () => {
    const picture = 'q '.repeat(5_000);
    const large = plainPdf([{ commands: picture }]);
    const { length } = await made('/documents', { parts: [partOf(large)] });
    const { length: twice } = await made('/documents', { parts: [partOf(large), partOf(large)] });

    expect(twice).toBeLessThan(length + 2_000);
  });

  it.each([
    [{ parts: [] }, 'parts: must have at least one part'],
    [{ parts: [{}] }, /^parts\[0\]: must be an object with one of capture/],
    [{ parts: [{ file: 'a.pdf' }] }, 'parts[0]: file: must be a name in files'],
    [{ parts: [partOf(PEAR), partOf(Buffer.from('no'))] }, 'parts[1]: must be a PDF, and not damaged'],
    [{ parts: [partOf(PEAR, { pages: '3' })] }, 'parts[0]: has 2 pages, so no page 3'],
    [{ parts: [partOf(PEAR, { pages: '0' })] }, /^parts\[0\]\.pages: must be pages and ranges/],
    [{ parts: [partOf(PEAR, { rotate: 45 })] }, 'parts[0].rotate: must be 0, 90, 180 or 270'],
    [{ parts: [{ capture: { html_content: 'x', format: 'png' } }] }, 'parts[0]: format: must be pdf, or unset'],
    [{ parts: [{ capture: { html_content: 'x', widht: 3 } }] }, /^parts\[0\]: widht: is not a known field/],
    [{ parts: [{ stored: 'none.pdf' }] }, NO_SUCH_FILE],
    [{ parts: [partOf(PEAR)], store_path: 'a.pdf' }, 'store_path: needs store'],
    [{ parts: [partOf(PEAR)], pdf_permissions: ['print'] }, /^pdf_permissions: needs pdf_owner_password/],
    [
      { parts: [partOf(PEAR)], pdf_attachments: [{ name: 'a', file: 'b' }] },
      'pdf_attachments[0].file: must name a part of files',
    ],
    [{ parts: [partOf(PEAR)], outlines: 'none' }, 'outlines: is not a known field'],
  ])('refuses %o', async (body, details) => {
    const { status, error_details: found = 'none' } = readError(await post('/documents', body));

    expect(status).toBe(details === NO_SUCH_FILE ? 404 : 400);
    expect(found).toMatch(details);
  });

  it('refuses standards that a part does not meet', async () => {
    const parts = [partOf(plainPdf([page('a')]))];
    const reasons = await Promise.all(
      [['PDF/A-3b'], ['PDF/UA-1']].map(async (pdf_standard) =>
        readError(await post('/documents', { parts, pdf_standard })),
      ),
    );

    expect(reasons.map(({ error_details: details }) => details)).toEqual([
      'pdf_standard: the document does not contain its font Helvetica',
      'pdf_standard: parts[0] is no PDF/UA-1',
    ]);
  });
});

describe.concurrent('the companions of POST /documents', () => {
  const document = partOf(PEAR);

  it('split by intervals into a zip, each piece with its own bookmarks and fields', async () => {
    const files = unzipSync(await made('/documents/split', { document, mode: 'intervals', span: 1 }));
    const pieces = await Promise.all(Object.values(files).map(async (body) => await opened(Buffer.from(body))));

    expect(Object.keys(files)).toEqual(['document-0001.pdf', 'document-0002.pdf']);
    expect(pieces.map(({ pages }) => pages.map(({ text }) => text))).toEqual([['Pear one'], ['Pear two']]);
    expect(pieces.map(({ outline }) => outline)).toEqual([[], [{ title: 'Pear end', page: 1 }]]);
    expect(pieces.map(({ pages: [first] }) => first?.fields)).toEqual([[['name', 'Pear']], []]);
  });

  it('split pages into one document', async () => {
    const body = await made('/documents/split', { document, mode: 'pages', span: '2-', unify: true });

    expect((await opened(body)).pages.map(({ text }) => text)).toEqual(['Pear two']);
  });

  it('describe a document', async () => {
    expect(JSON.parse((await made('/documents/metadata', { document })).toString())).toEqual({
      pages: 2,
      page_sizes: [
        { width: 300, height: 200 },
        { width: 300, height: 200 },
      ],
      version: '1.7',
      language: 'en',
      tagged: false,
      standards: [],
      metadata: { Title: 'Pear', Author: 'Ines' },
      bookmarks: [{ title: 'Pear end', page: 2, children: [] }],
      attachments: ['data.xml'],
    });
  });

  it('write metadata, also into the XMP', async () => {
    const { body } = await capture(service.url, {
      html_content: '<!doctype html><html lang=en><title>Old</title><p>a',
      format: 'pdf',
      pdf_standard: ['PDF/A-2b'],
      pdf_author: 'Old',
    });
    const metadata = { Title: 'New ü & <b>', Author: null, CreationDate: '2006-09-18T16:27:50-04:00' };
    const changed = await made('/documents/metadata', { document: partOf(body), metadata });
    const { info } = await opened(changed);

    expect(info).toMatchObject({ Title: 'New ü & <b>', CreationDate: "D:20060918162750-04'00'" });
    expect(info).not.toHaveProperty('Author');
    const text = changed.toString('utf8');
    expect(text).toContain('New ü &amp; &lt;b&gt;</rdf:li>');
    expect(text.match(/<dc:title/g)).toHaveLength(1);
    expect(text).not.toMatch(/dc:creator|Old/);
  });

  it('flatten an annotation of a hidden layer, and not another one with the same appearance', async () => {
    const [layer, look] = [firstFree(1), firstFree(1) + 1];
    const commands = '1 0 0 rg 0 0 40 40 re f';
    const stamp = (x: number, entries = ''): string =>
      `<</Type/Annot/Subtype/Stamp/F 4/AP<</N ${look} 0 R>>/Rect[${x} 0 ${x + 40} 40]${entries}>>`;
    const layered = plainPdf([{ entries: `/Annots[${stamp(0)} ${stamp(100, `/OC ${layer} 0 R`)}]` }], {
      entries: `/OCProperties<</OCGs[${layer} 0 R]/D<</OFF[${layer} 0 R]>>>>`,
      objects: [
        '<</Type/OCG/Name(hidden)>>',
        `<</Type/XObject/Subtype/Form/BBox[0 0 40 40]/Length ${commands.length}>>\nstream\n${commands}\nendstream`,
      ],
    });
    const flat = await made('/documents/flatten', { document: partOf(layered) });
    const files = { 'a.pdf': flat.toString('base64') };
    const { body } = await capture(service.url, { file: 'a.pdf', files, window_width: 300 });
    const { pixel } = await readPicture(body);

    expect([20, 120].map((x) => pixel(x, 180).slice(0, 3))).toEqual([
      [255, 0, 0],
      [255, 255, 255],
    ]);
  });

  it('flatten fields, also those without an appearance, and keep links', async () => {
    const body = await made('/documents/flatten', { document });
    const [first] = (await opened(body)).pages;

    expect(first?.text).toContain('Pear one');
    expect(first?.fields).toEqual([]);
    expect(first?.links).toEqual([2, 2]);
    expect(first?.text).toMatch(/Pear$/);
    expect((await PDFDocument.load(body)).catalog.has(PDFName.of('AcroForm'))).toBe(false);
  });

  it.each([
    ['/documents/split', { mode: 'intervals', span: '1-2' }, 'span: must be a number of pages from 1 to 100000'],
    ['/documents/split', { mode: 'intervals', span: 1, unify: true }, 'unify: needs mode to be pages'],
    ['/documents/split', { mode: 'pages', span: '5' }, 'document: has 2 pages, so no page 5'],
    ['/documents/metadata', { metadata: { 'Bad name': 'x' } }, /^metadata: must be an object with at most 50 names/],
    ['/documents/metadata', { metadata: { Title: 'a\u0001' } }, /^metadata: must be an object with at most 50 names/],
    ['/documents/metadata', { metadata: { ModDate: '2026-02-31' } }, /^metadata\.ModDate: must be a date such as/],
    ['/documents/flatten', { document: {} }, /^document: must be an object with one of capture/],
  ])('%s refuses %o', async (path, fields, details) => {
    const { error_details: found } = readError(await post(path, { document, ...fields }));

    expect(found).toMatch(details);
  });
});
