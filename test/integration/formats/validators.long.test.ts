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

/** Elements that the profile MINIMUM does not have. */
const BEYOND_MINIMUM = [
  'ActualDeliverySupplyChainEvent',
  'SpecifiedTradeSettlementPaymentMeans',
  'ApplicableTradeTax',
  'SpecifiedTradePaymentTerms',
  'LineTotalAmount',
  'URIUniversalCommunication',
  'PostcodeCode',
  'LineOne',
  'CityName',
];
/** What the German profile has beside: the process, and a contact. */
const PROCESS =
  '<ram:BusinessProcessSpecifiedDocumentContextParameter><ram:ID>urn:fdc:peppol.eu:2017:poacc:billing:01:1.0</ram:ID></ram:BusinessProcessSpecifiedDocumentContextParameter>';
const CONTACT =
  '<ram:DefinedTradeContact><ram:PersonName>Billing</ram:PersonName><ram:TelephoneUniversalCommunication><ram:CompleteNumber>+49 40 123456</ram:CompleteNumber></ram:TelephoneUniversalCommunication><ram:EmailURIUniversalCommunication><ram:URIID>billing@example.com</ram:URIID></ram:EmailURIUniversalCommunication></ram:DefinedTradeContact>';

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

function without(text: string, name: string): string {
  return text.replace(new RegExp(`\\s*<ram:${name}[ >][^]*?</ram:${name}>`, 'g'), '');
}

function named(text: string, guideline: string): string {
  return text.replace('urn:cen.eu:en16931:2017', guideline);
}

/** Returns an invoice of the profile EN 16931 in each profile, with as much as it has. */
function profilesOf(xml: string): Readonly<Record<string, string>> {
  const total = without(xml, 'IncludedSupplyChainTradeLineItem');
  const least = BEYOND_MINIMUM.reduce(without, total)
    .replace(/(<ram:BuyerTradeParty>[^]*?)<ram:PostalTradeAddress>[^]*?<\/ram:PostalTradeAddress>/, '$1')
    .replace(
      /<ram:ApplicableHeaderTradeDelivery>\s*<\/ram:ApplicableHeaderTradeDelivery>/,
      '<ram:ApplicableHeaderTradeDelivery/>',
    );
  const german = xml
    .replace('<ram:Guideline', `${PROCESS}<ram:Guideline`)
    .replace(
      '<ram:SellerTradeParty>',
      '<ram:BuyerReference>04011000-12345-03</ram:BuyerReference><ram:SellerTradeParty>',
    )
    .replace(/(<ram:SellerTradeParty>\s*<ram:Name>.*?<\/ram:Name>)/, `$1${CONTACT}`);
  return {
    MINIMUM: named(least, 'urn:factur-x.eu:1p0:minimum'),
    'BASIC WL': named(total, 'urn:factur-x.eu:1p0:basicwl'),
    BASIC: named(xml, 'urn:cen.eu:en16931:2017#compliant#urn:factur-x.eu:1p0:basic'),
    'EN 16931': xml,
    EXTENDED: named(xml, 'urn:cen.eu:en16931:2017#conformant#urn:factur-x.eu:1p0:extended'),
    XRECHNUNG: named(german, 'urn:cen.eu:en16931:2017#compliant#urn:xeinkauf.de:kosit:xrechnung_3.0'),
    'EXTENDED-CTC-FR': named(xml, 'urn:cen.eu:en16931:2017#conformant#urn.cpro.gouv.fr:1p0:extended-ctc-fr'),
  };
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

  it('are e-invoices of each profile without an error', async () => {
    const invoices = new Map<string, Buffer>();
    for (const [profile, data] of Object.entries(
      profilesOf(await readFile(new URL('factur-x.xml', EXAMPLE), 'utf8')),
    )) {
      const name = profile === 'XRECHNUNG' ? 'xrechnung.xml' : 'factur-x.xml';
      const relationship = /^(?:MINIMUM|BASIC WL)$/.test(profile) ? 'data' : 'alternative';
      const pdf_attachments = [{ name, base64: Buffer.from(data).toString('base64'), relationship }];
      const pdf_standard = ['PDF/A-3b', 'PDF/UA-1'];
      const answer = await print(DOCUMENT_KINDS['invoice']?.body ?? '', { pdf_standard, pdf_attachments });
      expect([profile, answer.status]).toEqual([profile, 200]);
      invoices.set(profile, answer.body);
    }

    const reports = (await validators?.reportsOf(invoices)) ?? [];
    expect(reports).toHaveLength(7);
    for (const [at, profile] of [...invoices.keys()].entries()) {
      const [pdf, data] = [...(reports[at] ?? '').matchAll(/<summary status="(\w+)"\/>/g)].map(([, status]) => status);
      // Mustang has no rules for the French profile: not even for its name (2.25).
      expect([profile, pdf, data]).toEqual([profile, 'valid', profile === 'EXTENDED-CTC-FR' ? 'invalid' : 'valid']);
      const errors = (reports[at] ?? '').match(/<error [^]*?<\/error>/g) ?? [];
      expect(errors.filter((error) => !/'ram:ID' is not allowed.*FX-SCH-A-000026/.test(error))).toEqual([]);
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
