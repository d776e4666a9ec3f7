import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFixtureSite, type FixtureSite } from '../../support/fixture-site.ts';
import { capture, type CaptureAnswer } from '../../support/http.ts';
import { CHANGING_PAGES } from '../../support/pages/changing-pages.ts';
import { send, sendHtml, toDocument } from '../../support/pages/exchange.ts';
import { readPdf } from '../../support/pdf.ts';
import { type SharedService, sharedService } from '../../support/shared-service.ts';

type Fields = Readonly<Record<string, unknown>>;

const SMALL = { window_width: 300, window_height: 200 };
const BEGIN = '2025-01-01T12:00:00.000Z';

let service: SharedService;
let site: FixtureSite;
let style = 'p { color: green }';
beforeAll(async () => {
  service = await sharedService();
  site = await createFixtureSite({
    moreRoutes: {
      '/changing/*': ({ response, rest }) => sendHtml(response, toDocument({ body: CHANGING_PAGES[rest] ?? '' })),
      '/styled': ({ response }) =>
        sendHtml(response, toDocument({ head: '<link rel=stylesheet href=/style.css>', body: '<p>Text</p>' })),
      '/changing-worker.js': ({ response }) =>
        send(response, { type: 'text/javascript', body: `postMessage(${JSON.stringify(style)})` }),
      '/style.css': ({ response }) => send(response, { type: 'text/css', body: style }),
    },
  });
});
afterAll(() => site.close());

async function make(fields: Fields): Promise<CaptureAnswer> {
  const answer = await capture(service.url, { reproducible: true, cache_ttl: 0, ...SMALL, ...fields });
  expect([answer.status, answer.status === 200 ? '' : answer.body.toString()]).toEqual([200, '']);
  return answer;
}

/** Returns the text of the body after the scripts have run. */
async function textOf(script: string, fields: Fields = {}): Promise<string> {
  const html_content = toDocument({ body: `<p id=a></p><script>${script}</script>` });
  const { body } = await make({ html_content, include: ['html'], response_type: 'json', ...fields });
  const { html }: { html: { text: string } } = JSON.parse(body.toString());
  return /<p id="a"[^>]*>([^<]*)/.exec(html.text)?.[1] ?? '';
}

describe('a reproducible capture', () => {
  it.each(Object.keys(CHANGING_PAGES).flatMap((kind) => [[kind, 'png'] as const, [kind, 'pdf'] as const]))(
    'of a page with a %s as %s has the same bytes and the same digest',
    async (kind, format) => {
      const fields = { url: site.url(`/changing/${kind}`), format, full_page: kind === 'scroll' };

      const [first, second] = await Promise.all([make(fields), make(fields)]);

      expect(first.body.equals(second.body)).toBe(true);
      expect(first.headers.get('x-capture-digest')).toMatch(/^[\da-f]{64}$/);
      expect(second.headers.get('x-capture-digest')).toBe(first.headers.get('x-capture-digest'));
    },
  );

  it.each([
    ['new Date()', 'new Date().toISOString()', BEGIN],
    ['new Date(number)', 'new Date(0).toISOString()', '1970-01-01T00:00:00.000Z'],
    ['a subclass', 'new (class extends Date {})().toISOString()', BEGIN],
    ['instanceof', '[new Date() instanceof Date, new Date().constructor === Date].join()', 'true,true'],
    ['Temporal', 'String(Temporal.Now.instant())', '2025-01-01T12:00:00Z'],
    [
      'the text of the functions',
      '[Date, Math.random].every((each) => String(each).includes("[native code]"))',
      'true',
    ],
    [
      'a loop that waits',
      '(() => { const began = Date.now(); while (Date.now() - began < 60); return "done" })()',
      'done',
    ],
    ['a format without a date', 'new Intl.DateTimeFormat("en", { timeZone: "UTC" }).format(undefined)', '1/1/2025'],
    ['a format of null', 'new Intl.DateTimeFormat("en", { timeZone: "UTC" }).format(null)', '1/1/1970'],
    [
      'many readings',
      '(() => { for (let k = 0; k < 50000; k++) Date.now(); return new Date().toISOString() })()',
      BEGIN,
    ],
    ['a timer of text', '(setTimeout("a.textContent = Date.now() - Date.UTC(2025, 0, 1, 12)", 300), "")', '300'],
    ['a file', 'new File([""], "x").lastModified === Date.now()', 'true'],
    ['a frozen Math', 'Object.isFrozen(Object.freeze(Math)) && Math.random() < 1', 'true'],
    [
      'a cookie that ends tomorrow',
      '(document.cookie = "k=1; expires=" + new Date(Date.now() + 86400000).toUTCString(), document.cookie)',
      'k=1',
    ],
    [
      'a cookie that is removed',
      '(document.cookie = "k=1", document.cookie = "k=; expires=" + new Date(0).toUTCString(), document.cookie)',
      '',
    ],
  ])('gives scripts the same time: %s', async (_name, expression, expected) => {
    expect(await textOf(`a.textContent = ${expression}`, { base_url: site.url('/') })).toBe(expected);
  });

  it('lets animations and late content finish', async () => {
    expect(await textOf('setTimeout(() => { a.textContent = Date.now() - Date.UTC(2025, 0, 1, 12) }, 1200)')).toBe(
      '1200',
    );
    const counting = /<script>(.*)<\/script>/s.exec(CHANGING_PAGES['count'] ?? '')?.[1] ?? '';
    expect(await textOf(counting)).toBe('12345');
  });

  it.each([
    [
      'a timer beside cancelled frames',
      'setTimeout(() => { a.textContent = "shown" }, 500); for (let k = 0; k < 12; k++) cancelAnimationFrame(requestAnimationFrame(() => 0))',
    ],
    [
      'frames beside cleared timers',
      'requestAnimationFrame(() => { a.textContent = "shown" }); for (let k = 0; k < 12; k++) clearTimeout(setTimeout(() => 0, 900))',
    ],
    [
      'a frame that another one cancels',
      'a.textContent = "shown"; let second; requestAnimationFrame(() => cancelAnimationFrame(second)); second = requestAnimationFrame(() => a.remove())',
    ],
  ])('keeps timers and frames apart: %s', async (_name, script) => {
    expect(await textOf(script)).toBe('shown');
  });

  it('cancels timers and frames that have not begun', async () => {
    const script = `a.textContent = 'kept'; clearTimeout(setTimeout(() => a.remove(), 500));
      clearInterval(setInterval(() => a.remove(), 20)); cancelAnimationFrame(requestAnimationFrame(() => a.remove()))`;
    expect(await textOf(script)).toBe('kept');
  });

  it('waits for what the request waits for', async () => {
    const script = `setTimeout(() => { a.textContent = 'late'; a.className = 'ready' }, 7500)`;
    expect(await textOf(script, { wait_for_selector: '.ready' })).toBe('late');
  });

  it('has equal documents with a standard, attachments, tags, header and metadata', async () => {
    const fields = {
      html_content: toDocument({ body: CHANGING_PAGES['table'] ?? '' }),
      format: 'pdf',
      pdf_standard: ['PDF/A-3b', 'PDF/UA-1'],
      pdf_attachments: [{ name: 'data.xml', base64: Buffer.from('<a/>').toString('base64') }],
      pdf_footer_html: '<span class=date></span>',
      pdf_margin: '20mm',
      pdf_author: 'Author',
    };

    const first = await make(fields);
    const second = await make(fields);

    expect(first.body.equals(second.body)).toBe(true);
    expect(first.body.includes('20250101120000')).toBe(true);
    const { pages } = await readPdf(first.body);
    expect(pages[0]?.text).toContain('1/1/2025');
  });

  it('has another digest if a file of the page, or a field changes, and else the same', async () => {
    const digestOf = async (fields: Fields = {}): Promise<string | null> =>
      (await make({ url: site.url('/styled'), ...fields })).headers.get('x-capture-digest');

    const first = await digestOf();
    const again = await digestOf();
    const wider = await digestOf({ window_width: 301 });
    style = 'p { color: navy }';
    const changed = await digestOf();
    const { body } = await make({ url: site.url('/styled'), response_type: 'json' });
    const { digest }: { digest: string } = JSON.parse(body.toString());

    expect(again).toBe(first);
    expect(new Set([first, wider, changed]).size).toBe(3);
    expect(digest).toMatch(/^[\da-f]{64}$/);
  });

  it.each([
    [{ format: 'pdf', pdf_password: 'secret' }, 'reproducible: not with pdf_password'],
    [{ format: 'mhtml' }, 'reproducible: not with the format mhtml'],
  ])('is refused with %j', async (fields, details) => {
    const { status, body } = await capture(service.url, { html_content: '<p>x', reproducible: true, ...fields });
    expect([status, body.toString()]).toEqual([400, expect.stringContaining(details)]);
  });

  it('leaves texts of the page that look like identifiers as they are', async () => {
    const html_content =
      '<!doctype html><html lang="en"><title>Doc (node00000077)</title><a href="https://x.example/(node12345678)">l</a><table><tr><th>a<td>b</table>';
    const { body } = await make({ html_content, format: 'pdf' });
    const text = body.toString('latin1');
    expect(text).toContain('node00000077');
    expect(text).toContain('node12345678');
    expect(text).toMatch(/\/ID \(node00000000\)/);
  });

  it.each(['Array.prototype[Symbol.iterator] = () => { throw 1 }', 'Map.prototype.set = () => { throw 1 }'])(
    'runs the timers and frames of a page with: %s',
    async (hostile) => {
      const late = `${hostile}; setTimeout(() => requestAnimationFrame(() => { a.textContent = 'ran' }), 500)`;
      expect(await textOf(late)).toBe('ran');
    },
  );

  it('counts what workers load in the digest', async () => {
    const body = `<p id=a></p><script>new Worker('/changing-worker.js').onmessage = ({ data }) => a.textContent = data</script>`;
    const fields = { html_content: toDocument({ body }), base_url: site.url('/') };
    const first = await make(fields);
    style = 'p { color: black }';
    const second = await make(fields);
    expect(second.headers.get('x-capture-digest')).not.toBe(first.headers.get('x-capture-digest'));
  });

  it('leaves all others without a digest', async () => {
    const { headers } = await capture(service.url, { html_content: '<p>x' });
    expect(headers.get('x-capture-digest')).toBeNull();
  });
});
