import { readFile } from 'node:fs/promises';
import sharp from 'sharp';
import { beforeAll, describe, expect, it } from 'vitest';
import { capture } from '../../support/http.ts';
import { type SharedService, sharedService } from '../../support/shared-service.ts';
import { findValidators } from '../../support/validators/validators.ts';

const validators = await findValidators();
const needed = validators === undefined ? ' (needs Java, Maven and Maven Central)' : '';
const EXAMPLE = new URL('../../../examples/e-invoice/', import.meta.url);

const noise = sharp({
  create: {
    width: 120,
    height: 80,
    channels: 3,
    background: '#369',
    noise: { type: 'gaussian', mean: 128, sigma: 40 },
  },
});
const photo = await noise.jpeg().toBuffer();
const picture = (bytes: Buffer, type: string): string =>
  `<img alt="photo" width="200" src="data:image/${type};base64,${bytes.toString('base64')}">`;
const line = '<p>Some words that go on and on for a while, and then for a while more.</p>';

const PAGES: Readonly<Record<string, string>> = {
  invoice: await readFile(new URL('invoice.html', EXAMPLE), 'utf8'),
  letter: `<p>Dear reader,</p>${line.repeat(4)}<p><em>Kind</em> <strong>regards</strong></p><ul><li>a<li>b</ul>`,
  'table over pages': `<table><thead><tr><th>N<th>V</thead>${Array.from({ length: 150 }, (_, row) => `<tr><td>${row}<td>${row * 7}`).join('')}</table>`,
  'picture with alpha': picture(
    await sharp({ create: { width: 80, height: 80, channels: 4, background: { r: 255, g: 0, b: 0, alpha: 0.4 } } })
      .png()
      .toBuffer(),
    'png',
  ),
  photograph: picture(photo, 'jpeg'),
  'rotated photograph': picture(await sharp(photo).withMetadata({ orientation: 6 }).jpeg().toBuffer(), 'jpeg'),
  'CMYK photograph': picture(await sharp(photo).toColourspace('cmyk').jpeg().toBuffer(), 'jpeg'),
  'grey photograph': picture(await sharp(photo).greyscale().jpeg().toBuffer(), 'jpeg'),
  'photograph of another profile': picture(await sharp(photo).withIccProfile('p3').jpeg().toBuffer(), 'jpeg'),
  'modern photograph': picture(await sharp(photo).avif().toBuffer(), 'avif'),
  gradients:
    '<div style="height:90px;background:linear-gradient(red,blue)">a</div><div style="height:90px;background:radial-gradient(red,transparent)">b</div>',
  shadows: '<div style="box-shadow:0 0 10px 5px #0008">a</div><p style="text-shadow:2px 2px 3px red">b</p>',
  opacity: '<div style="opacity:.5"><p>faded</p></div><p style="mix-blend-mode:multiply">blended</p>',
  filters: '<p style="filter:blur(2px)">blurred</p><p style="mask:linear-gradient(black,transparent)">masked</p>',
  links: `<p><a href="https://example.com/?a=(1)&b=ü">link</a>, <a href="#t">place</a></p>${line.repeat(60)}<h2 id="t">T</h2>`,
  forms:
    '<input value="Ada"> <select><option>One</select> <textarea>note</textarea> <input type="checkbox" checked> <progress value=".5"></progress>',
  'right to left': '<div dir="rtl" lang="ar"><h1>فاتورة</h1><p>نص باللغة العربية مع أرقام 123 و English.</p></div>',
  chart:
    '<svg width="300" height="150"><rect x="10" y="10" width="40" height="100" fill="teal"/><text x="10" y="140">Label</text><path d="M0 0L100 100" stroke="red" stroke-opacity=".4"/></svg>',
  canvas:
    '<canvas id="c"></canvas><script>const paint = c.getContext("2d"); paint.fillStyle = "rgba(255,0,0,.5)"; paint.fillRect(9, 9, 99, 99)</script>',
  frame: `<iframe srcdoc="<h2>inside</h2>"></iframe>${line}`,
  empty: '',
  long: line.repeat(400),
};

let service: SharedService;
beforeAll(async () => {
  service = await sharedService();
});

async function print(body: string, fields: object): Promise<Buffer> {
  const html_content = body.startsWith('<!doctype')
    ? body
    : `<!doctype html><html lang="en"><title>Test</title>${body}`;
  const answer = await capture(service.url, { html_content, format: 'pdf', ...fields });
  expect(answer.status).toBe(200);
  return answer.body;
}

describe.skipIf(validators === undefined)(`documents by validators of others${needed}`, { timeout: 300_000 }, () => {
  it.each([
    ['PDF/A-2b', '2b'],
    ['PDF/A-3b', '3b'],
  ] as const)('meet %s', async (standard, flavour) => {
    const documents = new Map<string, Buffer>();
    for (const [name, body] of Object.entries(PAGES)) {
      const more =
        name === 'long'
          ? { pdf_watermark: 'DRAFT', pdf_footer_html: '<span class="pageNumber"></span>', pdf_outline: true }
          : {};
      documents.set(name, await print(body, { pdf_standard: [standard], ...more }));
    }

    expect(await validators?.brokenRules(documents, flavour)).toEqual({});
  });

  it('are e-invoices without an error', async () => {
    const invoices = new Map<string, Buffer>();
    const xml = await readFile(new URL('factur-x.xml', EXAMPLE), 'utf8');
    const basic = xml.replace('2017<', '2017#compliant#urn:factur-x.eu:1p0:basic<');
    for (const [name, data] of Object.entries({ 'EN 16931': xml, BASIC: basic })) {
      const base64 = Buffer.from(data).toString('base64');
      const pdf_attachments = [{ name: 'factur-x.xml', base64, relationship: 'alternative' }];
      invoices.set(name, await print(PAGES['invoice'] ?? '', { pdf_standard: ['PDF/A-3b'], pdf_attachments }));
    }

    const reports = await validators?.reportsOf(invoices);
    expect(reports).toHaveLength(2);
    for (const report of reports ?? []) {
      expect(report).toContain('<summary status="valid"/>');
      expect(report).not.toContain('status="invalid"');
    }
  });
});
