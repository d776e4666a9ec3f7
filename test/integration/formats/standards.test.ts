import { readFile } from 'node:fs/promises';
import { getDocument } from 'pdfjs-dist/legacy/build/pdf.mjs';
import { beforeAll, describe, expect, it } from 'vitest';
import { invalid, readError } from '../../support/errors.ts';
import { type CaptureAnswer, capture } from '../../support/http.ts';
import { type SharedService, sharedService } from '../../support/shared-service.ts';

const EXAMPLE = new URL('../../../examples/e-invoice/', import.meta.url);
const XML = await readFile(new URL('factur-x.xml', EXAMPLE));
const PAGE = '<!doctype html><html lang="en"><title>Invoice & <Co></title><h1>Invoice</h1>';
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
    ['urn:cen.eu:en16931:2017#compliant#urn:xeinkauf.de:kosit:xrechnung_3.0', 'XRECHNUNG', 'alternative'],
    ['urn:factur-x.eu:1p0:basicwl', 'BASIC WL', 'data'],
    ['urn:factur-x.eu:1p0:minimum', 'MINIMUM', 'data'],
  ])('make an e-invoice of %s', async (guideline, profile, relationship) => {
    const pdf_attachments = [{ ...ofProfile(guideline), relationship }];
    const { xmp } = await opened(await print({ pdf_standard: ['PDF/A-3b'], pdf_attachments }));

    expect(xmp?.get('fx:conformancelevel')).toBe(profile);
    expect(xmp?.get('fx:documentfilename')).toBe('factur-x.xml');
  });

  it.each([
    [{ pdf_standard: ['PDF/A-1b'] }, 'pdf_standard[0]: must be a list with one of PDF/A-2b, PDF/A-3b'],
    [{ pdf_standard: [] }, 'pdf_standard: must be a list with one of PDF/A-2b, PDF/A-3b'],
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
      { pdf_standard: ['PDF/A-3b'], pdf_attachments: [{ ...invoice, relationship: 'supplement' }] },
      'pdf_attachments[0].relationship: must be alternative for factur-x.xml of the profile EN 16931',
    ],
    [
      { pdf_standard: ['PDF/A-3b'], pdf_attachments: [ofProfile('urn:factur-x.eu:1p0:minimum')] },
      'pdf_attachments[0].relationship: must be data for factur-x.xml of the profile MINIMUM',
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
