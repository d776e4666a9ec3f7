import { beforeAll, describe, expect, it } from 'vitest';
import { OPEN_PART_NAMES } from '../../../src/features/data/index.ts';
import { COLOUR } from '../../support/colour.ts';
import { capture } from '../../support/http.ts';
import { readPdf } from '../../support/pdf.ts';
import { readPicture } from '../../support/pixels.ts';
import { type SharedService, sharedService } from '../../support/shared-service.ts';

const FIELDS = ['style', 'children', 'getBoundingClientRect', 'querySelectorAll', 'parentElement'];
const NAMED_FIELDS = FIELDS.map((name) => `<input name="${name}">`).join('');
/** Adds a field for every property that an element has. */
const ALL_FIELDS = `<script>{
  const form = document.forms[0];
  const names = new Set();
  for (let { prototype } = HTMLFormElement; prototype !== null; prototype = Object.getPrototypeOf(prototype)) {
    for (const name of Object.getOwnPropertyNames(prototype)) names.add(name);
  }
  const box = document.createElement('div');
  box.id = 'box';
  for (const name of names) {
    const field = document.createElement('input');
    Object.assign(field, { name, hidden: true });
    box.append(field);
  }
  Element.prototype.append.call(form, box);
}</script>`;
/** Pictures with a name are properties of the document. */
const NAMED_PICTURES = [
  'body',
  'documentElement',
  'defaultView',
  'querySelectorAll',
  'scrollingElement',
  'title',
  'fonts',
]
  .map((name) => `<img name="${name}" alt="" width="1" height="1">`)
  .join('');

const formPage = (more: string): string => `<!doctype html><title>Form</title>
  <style>body, form { margin: 0 } #target { width: 100px; height: 50px; background: #00a000 } #tall { height: 1500px }</style>
  <body><form>
    <div id="target">Order</div><a href="https://example.com/help">Help</a>
    <div id="tall">Comment</div>${more}
  </form></body>`;

describe.each([
  ['a form with fields named as methods', formPage(NAMED_FIELDS)],
  ['a form with a field for every property', formPage(ALL_FIELDS)],
  ['a document with pictures named as its properties', formPage(NAMED_PICTURES)],
])('%s around the whole page', (_what, html_content) => {
  let service: SharedService;
  beforeAll(async () => {
    service = await sharedService();
  });

  const page = { html_content, window_width: 400, window_height: 300 };

  it.each([
    ['a window', {}, 400, 300],
    ['a whole page', { full_page: true }, 400, 1_550],
    ['an element', { selector: '#target' }, 100, 50],
    ['a rectangle', { clip: { x: 0, y: 0, width: 80, height: 40 } }, 80, 40],
    ['a page without its banners', { block_cookie_banners: true }, 400, 300],
  ])('gives a picture of %s', async (_of, fields, width, height) => {
    const { status, body } = await capture(service.url, { ...page, ...fields });

    expect(status).toBe(200);
    const picture = await readPicture(body);
    expect(picture.width).toBe(width);
    expect(picture.height).toBeGreaterThanOrEqual(height);
    expect(picture.pixel(70, 10).slice(0, 3)).toEqual(COLOUR.green);
  });

  it('gives a document and Markdown', async () => {
    const pdf = await capture(service.url, { ...page, format: 'pdf' });
    const markdown = await capture(service.url, { ...page, format: 'markdown' });

    expect((await readPdf(pdf.body)).pages.map(({ text }) => text).join(' ')).toContain('Order');
    expect(markdown.body.toString()).toContain('[Help](https://example.com/help)');
  });

  it('gives all parts', async () => {
    const include = OPEN_PART_NAMES;
    const { status, json } = await capture(service.url, {
      ...page,
      response_type: 'json',
      include,
      extract: { link: { selector: 'form a', type: 'url' }, text: 'form' },
      visible_text: true,
    });

    expect(status).toBe(200);
    expect(json()).toMatchObject({
      metadata: { title: 'Form' },
      html: { text: expect.stringContaining('<form>') },
      markdown: { text: expect.stringContaining('[Help](https://example.com/help)') },
      hidden_text: expect.anything(),
      links: { entries: [{ url: 'https://example.com/help', text: 'Help' }] },
      accessibility: { tree: expect.anything() },
      extract: { link: 'https://example.com/help', text: expect.stringContaining('Help') },
    });
  });
});
