import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { readError } from '../../support/errors.ts';
import { type CaptureAnswer, capture } from '../../support/http.ts';
import { startService } from '../../support/service.ts';
import { type SharedService, sharedService } from '../../support/shared-service.ts';
import { DOCUMENT_KINDS } from '../../support/validators/document-kinds.ts';
import { findValidators } from '../../support/validators/validators.ts';

const validators = await findValidators();
const needed = validators === undefined ? ' (needs Java, Maven and Maven Central)' : '';
const EXAMPLE = new URL('../../../examples/e-invoice/', import.meta.url);
const TEMPLATES = new URL('../../../examples/templates/', import.meta.url);

let service: SharedService;
beforeAll(async () => {
  service = await sharedService();
});

async function print(body: string, fields: object): Promise<CaptureAnswer> {
  const html_content = body.startsWith('<!doctype')
    ? body
    : `<!doctype html><html lang="en"><title>Test</title>${body}`;
  return await capture(service.url, { html_content, format: 'pdf', run_ahead: 0, ...fields });
}

describe.skipIf(validators === undefined)(`documents by validators of others${needed}`, { timeout: 400_000 }, () => {
  it.each([
    [['PDF/A-2b'], ['2b']],
    [['PDF/A-3b'], ['3b']],
    [['PDF/UA-1'], ['ua1']],
    [
      ['PDF/A-3b', 'PDF/UA-1'],
      ['3b', 'ua1'],
    ],
  ] as const)('meet %j', async (standards, flavours) => {
    const documents = new Map<string, Buffer>();
    const isForReaders = standards.some((name) => name === 'PDF/UA-1');
    for (const [name, { body, fields, refused }] of Object.entries(DOCUMENT_KINDS)) {
      const answer = await print(body, { pdf_standard: standards, ...fields });
      const isRefused = refused !== undefined && isForReaders;
      const reason = isRefused ? readError(answer).error_details : '';
      expect([name, isRefused ? refused.test(String(reason)) : true]).toEqual([name, true]);
      expect([name, answer.status]).toEqual([name, isRefused ? 400 : 200]);
      if (!isRefused) documents.set(name, answer.body);
    }

    expect(documents.size).toBeGreaterThanOrEqual(40);
    for (const flavour of flavours) expect(await validators?.brokenRules(documents, flavour)).toEqual({});
  });

  it('are e-invoices without an error', async () => {
    const invoices = new Map<string, Buffer>();
    const xml = await readFile(new URL('factur-x.xml', EXAMPLE), 'utf8');
    const basic = xml.replace('2017<', '2017#compliant#urn:factur-x.eu:1p0:basic<');
    for (const [name, data] of Object.entries({ 'EN 16931': xml, BASIC: basic })) {
      const base64 = Buffer.from(data).toString('base64');
      const pdf_attachments = [{ name: 'factur-x.xml', base64, relationship: 'alternative' }];
      const pdf_standard = ['PDF/A-3b', 'PDF/UA-1'];
      const answer = await print(DOCUMENT_KINDS['invoice']?.body ?? '', { pdf_standard, pdf_attachments });
      expect(answer.status).toBe(200);
      invoices.set(name, answer.body);
    }

    const reports = await validators?.reportsOf(invoices);
    expect(reports).toHaveLength(2);
    for (const report of reports ?? []) {
      expect(report).toContain('<summary status="valid"/>');
      expect(report).not.toContain('status="invalid"');
    }
  });

  it('are e-invoices by a template, page and XML from the same data', async () => {
    await using templates = await startService({ TEMPLATES_DIR: fileURLToPath(TEMPLATES) });
    const { data } = JSON.parse(await readFile(new URL('e-invoice/template.json', TEMPLATES), 'utf8'));
    const answer = await capture(templates.url, { template: 'e-invoice', data: data.examples[0] });
    expect(answer.status).toBe(200);
    const documents = new Map([['invoice', answer.body]]);

    expect(await validators?.reportsOf(documents)).toEqual([expect.not.stringContaining('status="invalid"')]);
    for (const flavour of ['3b', 'ua1'] as const) expect(await validators?.brokenRules(documents, flavour)).toEqual({});
  });
});
