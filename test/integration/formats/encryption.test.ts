import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { getDocument } from 'pdfjs-dist/legacy/build/pdf.mjs';
import { beforeAll, describe, expect, it } from 'vitest';
import { checkSignedFields } from '../../../src/core/capture/request/sensitive-fields.ts';
import { invalid, readError } from '../../support/errors.ts';
import { type CaptureAnswer, capture } from '../../support/http.ts';
import { type SharedService, sharedService } from '../../support/shared-service.ts';

const run = promisify(execFile);
const hasQpdf = await run('qpdf', ['--version']).then(
  () => true,
  () => false,
);
const PAGE =
  '<!doctype html><html lang="en"><title>Title</title><h1>Heading</h1><p><a href="#x">in</a><h2 id="x">Place</h2>';

let service: SharedService;
beforeAll(async () => {
  service = await sharedService();
});

const print = (fields: object): Promise<CaptureAnswer> =>
  capture(service.url, { html_content: PAGE, format: 'pdf', ...fields });

/** Opens a document, and returns its text, bookmarks, tags and permissions. */
async function opened(body: Buffer, password: string) {
  const document = await getDocument({ data: Uint8Array.from(body), password, verbosity: 0 }).promise;
  const page = await document.getPage(1);
  const { items } = await page.getTextContent();
  const tags = await page.getStructTree();
  return {
    text: items.map((item) => ('str' in item ? item.str : '')).join(' '),
    outline: ((await document.getOutline()) ?? []).map(({ title }) => title),
    hasTags: JSON.stringify(tags).includes('"H1"'),
    permissions: await document.getPermissions(),
    attachments: Object.keys((await document.getAttachments()) ?? {}),
  };
}

describe.concurrent('pdf_password', () => {
  it.each(['öpen sesame', 'x', 'a'.repeat(127), ' () \\ '])('%s alone opens the document', async (pdf_password) => {
    const { status, body } = await print({ pdf_password, pdf_outline: true });

    expect(status).toBe(200);
    await expect(opened(body, '')).rejects.toThrow('No password given');
    await expect(opened(body, 'wrong')).rejects.toThrow('Incorrect Password');
    const document = await opened(body, pdf_password);
    expect(document).toMatchObject({ outline: ['Heading'], hasTags: true });
    expect(document.text).toContain('Heading');
    for (const text of ['(Title)', '(Heading)', '(en)']) expect(body.includes(text)).toBe(false);
  });

  it('keeps attachments', async () => {
    const pdf_attachments = [{ name: 'a.txt', base64: 'YQ==' }];
    const { body } = await print({ pdf_password: 'x', pdf_attachments });

    expect(await opened(body, 'x')).toMatchObject({ attachments: ['a.txt'] });
  });

  it('of an owner alone lets everyone read, with the permissions', async () => {
    const { body } = await print({ pdf_owner_password: 'boss', pdf_permissions: ['print'] });

    const [reader, owner] = [await opened(body, ''), await opened(body, 'boss')];
    expect(reader.text).toContain('Heading');
    expect(reader.permissions).toEqual(expect.arrayContaining([0x04]));
    expect(reader.permissions).not.toEqual(expect.arrayContaining([0x10]));
    expect(owner.text).toContain('Heading');
  });

  it.skipIf(!hasQpdf)(`is AES-256 of revision 6${hasQpdf ? '' : ' (needs qpdf)'}`, async () => {
    const { body } = await print({ pdf_password: 'u', pdf_owner_password: 'o', pdf_permissions: ['copy'] });
    const folder = await mkdtemp(join(tmpdir(), 'encryption-'));
    const file = join(folder, 'a.pdf');
    await writeFile(file, body);

    const checked = await run('qpdf', ['--password=u', '--check', file]);
    await expect(run('qpdf', ['--password=x', '--check', file])).rejects.toThrow('invalid password');
    await rm(folder, { recursive: true });
    expect(checked.stdout).toContain('R = 6');
    expect(checked.stdout).toContain('file encryption method: AESv3');
    expect(checked.stdout).toContain('extract for any purpose: allowed');
    expect(checked.stdout).toContain('print high resolution: not allowed');
    expect(checked.stdout).toContain('No syntax or stream encoding errors found');
  });

  it.each([
    [{ pdf_password: '' }, 'pdf_password: must be text of 1 to 127 characters'],
    [{ pdf_password: 'a'.repeat(128) }, 'pdf_password: must be text of 1 to 127 characters'],
    [{ pdf_owner_password: 'ü'.repeat(64) }, 'pdf_owner_password: must have at most 127 bytes in UTF-8'],
    [
      { pdf_owner_password: 'x', pdf_permissions: ['all'] },
      'pdf_permissions[0]: must be a list of print, copy, modify, annotate',
    ],
    [
      { pdf_password: 'x', pdf_permissions: ['print'] },
      'pdf_permissions: needs pdf_owner_password, because who opens the document otherwise has all rights',
    ],
    [
      { pdf_password: 'x', pdf_standard: ['PDF/A-2b'] },
      'pdf_standard: does not allow pdf_password and pdf_owner_password',
    ],
  ])('refuses %j', async (fields, details) => {
    expect(readError(await print(fields))).toEqual(invalid(details));
  });

  it.each(['pdf_password', 'pdf_owner_password'] as const)('refuses %s in a signed link', async (name) => {
    const query = { has: (field: string): boolean => field === name };

    expect(() => checkSignedFields(query, ['store', 'store_path'])).toThrow(
      expect.objectContaining({ details: `${name}: is not accepted in a signed URL` }),
    );
  });
});
