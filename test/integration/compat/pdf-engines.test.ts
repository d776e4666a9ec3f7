import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Chromiumly, HtmlConverter, PdfFormat, PDFEngines } from 'chromiumly';
import { unzipSync } from 'fflate';
import { getDocument } from 'pdfjs-dist/legacy/build/pdf.mjs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { firstFree, pageNumber, plainPdf, texts } from '../../support/plain-pdf.ts';
import { type RunningService, startService } from '../../support/service.ts';

const page = (text: string, entries = '') => ({ commands: texts([30, 150, text]), entries });
const FORM = plainPdf([page('Name:', `/Annots[${firstFree(1)} 0 R]`)], {
  entries: `/AcroForm<</Fields[${firstFree(1)} 0 R]/DA(/F 12 Tf)/DR<</Font<</F 3 0 R>>>>>>`,
  objects: ['<</Type/Annot/Subtype/Widget/FT/Tx/T(name)/V(Ines)/DA(/F 12 Tf)/F 4/Rect[90 140 200 165]>>'],
});
const THREE = plainPdf([page('Page 1'), page('Page 2'), page('Page 3')], {
  entries: `/Outlines ${firstFree(3)} 0 R`,
  objects: [
    `<</Type/Outlines/First ${firstFree(3) + 1} 0 R/Last ${firstFree(3) + 1} 0 R/Count 1>>`,
    `<</Title(Last)/Parent ${firstFree(3)} 0 R/Dest[${pageNumber(2)} 0 R/Fit]>>`,
  ],
});

async function opened(body: Uint8Array, password?: string) {
  const document = await getDocument({ data: Uint8Array.from(body), password, verbosity: 0 }).promise;
  const pages = await Promise.all(
    Array.from({ length: document.numPages }, async (_, index) => {
      const each = await document.getPage(index + 1);
      const { items } = await each.getTextContent();
      const annotations: readonly object[] = await each.getAnnotations();
      return { text: items.map((item) => ('str' in item ? item.str : '')).join(''), annotations: annotations.length };
    }),
  );
  const { info } = await document.getMetadata();
  const outline: readonly { readonly title: string }[] = (await document.getOutline()) ?? [];
  return { texts: pages.map(({ text }) => text), pages, info, outline: outline.map(({ title }) => title) };
}

describe("Gotenberg's routes for PDFs", () => {
  let service: RunningService;
  let folder: string;
  const files: Record<string, string> = {};
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pdf-engines-'));
    const contents = {
      '10.pdf': plainPdf([page('ten')]),
      '2.pdf': plainPdf([page('two')]),
      'three.pdf': THREE,
      'form.pdf': FORM,
    };
    for (const [name, body] of Object.entries(contents)) {
      files[name] = join(folder, name);
      await writeFile(join(folder, name), body);
    }
    service = await startService({ COMPAT: 'gotenberg' });
    Chromiumly.configure({ endpoint: service.url });
  });
  afterAll(async () => {
    await service[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });
  const pathOf = (name: string): string => files[name] ?? '';
  const post = async (
    path: string,
    fields: Readonly<Record<string, string>>,
    names: readonly string[] = ['three.pdf'],
  ) => {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.append(name, value);
    const bodies: Readonly<Record<string, Buffer>> = { 'three.pdf': THREE, 'form.pdf': FORM };
    for (const name of names) form.append('files', new Blob([Uint8Array.from(bodies[name] ?? [])]), name);
    return await fetch(`${service.url}/forms/pdfengines/${path}`, { method: 'POST', body: form });
  };

  it('merge in the order of names, with metadata and passwords', async () => {
    const merged = await PDFEngines.merge({
      files: [pathOf('three.pdf'), pathOf('10.pdf'), pathOf('2.pdf')],
      metadata: {
        Title: 'Sum',
        Creator: 'Test',
        Keywords: ['a', 'b'],
        Trapped: 'True',
        ModDate: '2006-09-18T16:27:50-04:00',
      },
      userPassword: 'sesame',
    });

    await expect(opened(merged)).rejects.toThrow('No password given');
    const found = await opened(merged, 'sesame');
    expect(found.texts).toEqual(['two', 'ten', 'Page 1', 'Page 2', 'Page 3']);
    expect(found.outline).toEqual(['Last']);
    expect(found.info).toMatchObject({
      Title: 'Sum',
      Creator: 'Test',
      Keywords: 'a, b',
      ModDate: "D:20060918162750-04'00'",
    });
  });

  it('merge has a bookmark for each file with titleBookmarks', async () => {
    const answer = await post('merge', { titleBookmarks: 'true' }, ['three.pdf', 'form.pdf']);

    expect((await opened(await answer.bytes())).outline).toEqual(['form', 'three']);
  });

  it.each([
    [
      { mode: 'intervals', span: '2' },
      { 'three_0.pdf': ['Page 1', 'Page 2'], 'three_1.pdf': ['Page 3'] },
    ],
    [
      { mode: 'pages', span: '2-z' },
      { 'three_0.pdf': ['Page 2'], 'three_1.pdf': ['Page 3'] },
    ],
  ] as const)('split %o', async (options, expected) => {
    const zip = unzipSync(await PDFEngines.split({ files: [pathOf('three.pdf')], options }));
    const found = await Promise.all(
      Object.entries(zip).map(async ([name, body]) => [name, (await opened(body)).texts]),
    );

    expect(Object.fromEntries(found)).toEqual(expected);
  });

  it('split into one document, and flatten', async () => {
    const options = { mode: 'pages', span: '2-3', unify: true } as const;
    const pieces = await PDFEngines.split({ files: [pathOf('three.pdf')], options });
    const { texts: flat, pages } = await opened(await PDFEngines.flatten([pathOf('form.pdf')]));

    expect((await opened(pieces)).texts).toEqual(['Page 2', 'Page 3']);
    expect(flat).toEqual(['Name:Ines']);
    expect(pages[0]?.annotations).toBe(0);
  });

  it('encrypt, with permissions', async () => {
    const locked = await PDFEngines.encrypt({
      files: [pathOf('three.pdf')],
      options: { ownerPassword: 'all', allowPrinting: false },
    });
    const document = await getDocument({ data: Uint8Array.from(locked), verbosity: 0 }).promise;

    expect(await document.getPermissions()).not.toContain(4);
    expect((await opened(locked)).outline).toEqual(['Last']);
  });

  it('write and read metadata and bookmarks', async () => {
    const metadata = { Author: 'Ines', CreateDate: '2006-09-18T16:27:50-04:00', Keywords: ['a', 'b'], Marked: true };
    const changed = join(folder, 'changed.pdf');
    await writeFile(changed, await PDFEngines.writeMetadata({ files: [pathOf('three.pdf')], metadata }));

    expect(JSON.parse((await PDFEngines.readMetadata({ files: [changed] })).toString())).toMatchObject({
      'changed.pdf': {
        Author: 'Ines',
        CreateDate: '2006:09:18 16:27:50-04:00',
        Keywords: ['a', 'b'],
        Marked: true,
        PageCount: 3,
        PDFVersion: 1.7,
        FileName: 'changed.pdf',
        MIMEType: 'application/pdf',
      },
    });
    expect(JSON.parse((await PDFEngines.readBookmarks([changed])).toString())).toEqual({
      'changed.pdf': [{ title: 'Last', page: 3 }],
    });
  });

  it('split, flatten and describe what Chromium prints', async () => {
    const html = Buffer.from('<p style="break-after:page">one<p>two');
    const zip = await new HtmlConverter().convert({ html, split: { mode: 'intervals', span: '1' } });
    const described = await new HtmlConverter().convert({
      html,
      metadata: { Title: 'T', Producer: 'P' },
      flatten: true,
    });

    expect(Object.keys(unzipSync(zip))).toEqual(['document_0.pdf', 'document_1.pdf']);
    expect((await opened(described)).info).toMatchObject({ Title: 'T', Producer: 'P' });
  });

  it('make an archive of what allows it, and say what does not', async () => {
    const printed = await new HtmlConverter().convert({
      html: Buffer.from('<!doctype html><html lang=en><title>t</title><p>a'),
    });
    const path = join(folder, 'printed.pdf');
    await writeFile(path, printed);
    const archive = await PDFEngines.convert({ files: [path], pdfa: PdfFormat.A_2b });
    const refused = await post('convert', { pdfa: 'PDF/A-2b' });

    expect(archive.toString('latin1')).toContain('pdfaid:part');
    expect([refused.status, await refused.text()]).toEqual([
      409,
      'pdfa: the document does not contain its font Helvetica',
    ]);
  });

  it.each([
    ['merge', {}, [], 'Invalid form data: no form file found for extensions: [.pdf]'],
    ['split', { splitMode: 'intervals' }, ['three.pdf'], "Invalid form data: form field 'splitSpan' is required"],
    [
      'split',
      { splitMode: 'x', splitSpan: '1' },
      ['three.pdf'],
      "Invalid form data: form field 'splitMode' is invalid",
    ],
    ['encrypt', {}, ['three.pdf'], "Invalid form data: a 'userPassword' or 'ownerPassword' is required"],
    ['metadata/write', { metadata: 'foo' }, ['three.pdf'], 'Invalid form data: metadata: must be a JSON object'],
    ['convert', {}, ['three.pdf'], "Invalid form data: either 'pdfa' or 'pdfua' form fields must be provided"],
    ['merge', { stamp: 'x' }, ['three.pdf'], 'Invalid form data: stamp: is not supported'],
    ['merge', { rotateAngle: '45' }, ['three.pdf'], 'Invalid form data: rotateAngle: must be 90, 180 or 270'],
  ])('%s refuses %o', async (path, fields, names, message) => {
    const answer = await post(path, fields, names);

    expect({ status: answer.status, text: await answer.text() }).toMatchObject({
      status: 400,
      text: expect.stringContaining(message),
    });
  });
});
