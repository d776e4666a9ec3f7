import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFixtureSite, type FixtureSite } from '../../support/fixture-site.ts';
import { capture } from '../../support/http.ts';
import { type Route, send } from '../../support/pages/exchange.ts';
import { readPicture } from '../../support/pixels.ts';
import { type SharedService, sharedService } from '../../support/shared-service.ts';

interface Page {
  readonly body: string | Buffer;
  readonly type?: string;
}

/** A page in the standards mode with a green box, which is red if something is lost. */
const page = (markup: string): Page => ({
  body: `<!doctype html><meta charset="utf-8"><style>b { display: block; width: 99px; height: 40px }</style>${markup}`,
});
/** Table cells inherit the size of text in the standards mode only. */
const legacy = (doctype: string): Page => ({
  body: `${doctype}<title>t</title><body style="font-size: 40px"><table cellspacing="0"><tr><td>x<img width="30" height="30" src="/block.svg"></table>`,
});
const latin1 = (markup: string, type = 'text/html'): Page => ({ body: Buffer.from(markup, 'latin1'), type });
const shadow = (markup: string): string =>
  `<x-a></x-a><script>document.querySelector('x-a').attachShadow({ mode: 'open' }).innerHTML = ${JSON.stringify(markup)}</script>`;

const PAGES: Readonly<Record<string, Page>> = {
  'a style element after a linked sheet': page(
    '<link rel="stylesheet" href="/red.css"><style>b { background: green }</style><b></b>',
  ),
  'a style element between linked sheets': page(
    '<link rel="stylesheet" href="/red.css"><style>b { background: blue }</style><link rel="stylesheet" href="/green.css"><b></b>',
  ),
  'layers that a linked sheet orders': page(
    '<link rel="stylesheet" href="/layers.css"><style>@layer over { b { background: green } } @layer base { b { background: red } }</style><b></b>',
  ),
  'a style element for printers': page(
    '<style>b { background: green }</style><style media="print">b { display: none }</style><b></b>',
  ),
  'a style element that a script has disabled': page(
    '<style>b { background: green }</style><style id="s">b { background: red }</style><b></b><script>s.disabled = true</script>',
  ),
  'a linked sheet that a script has disabled': page(
    '<style>b { background: green }</style><link id="l" rel="stylesheet" href="/red.css"><b></b><script>onload = () => { l.sheet.disabled = true }</script>',
  ),
  'rules that a script has inserted': page(
    '<style id="s"></style><b></b><script>s.sheet.insertRule("b { background: green }")</script>',
  ),
  'pictures in variables of a style element': page(
    '<base href="/deep/"><style>:root { --p: url(../block.svg) } b { background: var(--p) }</style><b></b>',
  ),
  'a style element before a linked sheet in a shadow tree': page(
    shadow(
      '<style>b { display: block; height: 40px; background: red }</style><link rel="stylesheet" href="/green.css"><b></b>',
    ),
  ),
  'a style element after a linked sheet in a frame': page('<iframe src="/inner" width="200" height="80"></iframe>'),
  'an element with hidden that a style shows': page(
    '<style>b { background: green } b[hidden] { display: block }</style><b hidden></b>',
  ),
  'elements that are counted beside one with hidden': page(
    '<style>b { background: red } b:nth-child(2) { background: green }</style><div><b hidden></b><b></b></div>',
  ),
  'style attributes that the policy of the page refuses': page(
    '<meta http-equiv="content-security-policy" content="style-src \'self\'"><link rel="stylesheet" href="/green.css"><b style="width: 400px">text</b>',
  ),
  'a page and a sheet in windows-1252': latin1(
    '<!doctype html><meta charset="windows-1252"><link rel="stylesheet" href="/latin1.css"><p class="x">gr\u00F6\u00DFe',
  ),
  'a frame in windows-1252': page('<iframe src="/latin1" width="200" height="80"></iframe>'),
  'a page in UTF-16': {
    body: Buffer.from(
      '\uFEFF<!doctype html><style>p::after { content: "\u00E4" }</style><p>gr\u00F6\u00DFe',
      'utf16le',
    ),
  },
  XHTML: {
    type: 'application/xhtml+xml',
    body: '<html xmlns="http://www.w3.org/1999/xhtml"><head><style><![CDATA[p > i { color: green }]]></style></head><body><p>one <i>two</i><br/><![CDATA[<three>]]></p></body></html>',
  },
  'a page without a doctype': legacy(''),
  'a doctype of the quirks mode': legacy('<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 3.2 Final//EN">'),
  'a doctype of the limited quirks mode': legacy(
    '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd">',
  ),
  'a doctype of the standards mode': legacy('<!DOCTYPE html>'),
  'a frame in quirks mode': page(
    '<iframe srcdoc="<p>standards" height="50"></iframe><iframe src="/quirks" height="50"></iframe>',
  ),
  'a frame that a script has written': page(
    '<iframe id="f" height="80"></iframe><script>f.contentDocument.write("<style>p { color: green }</style><p>written"); f.contentDocument.close()</script>',
  ),
};

const FILES: Readonly<Record<string, Page>> = {
  '/red.css': { type: 'text/css', body: 'b { background: red }' },
  '/green.css': { type: 'text/css', body: 'b { background: green }' },
  '/layers.css': { type: 'text/css', body: '@layer base, over;' },
  '/latin1.css': latin1('.x::after { content: " \u00E4" }', 'text/css'),
  '/latin1': latin1('<!doctype html><meta charset="windows-1252"><p>gr\u00F6\u00DFe'),
  '/quirks': { body: '<p>quirks' },
  '/inner': {
    body: '<!doctype html><link rel="stylesheet" href="/red.css"><style>b { display: block; height: 40px; background: green }</style><style media="print">b { display: none }</style><b></b>',
  },
  '/block.svg': {
    type: 'image/svg+xml',
    body: '<svg xmlns="http://www.w3.org/2000/svg" width="99" height="40"><rect width="99" height="40" fill="green"/></svg>',
  },
};

const pathOf = (name: string): string => `/${Object.keys(PAGES).indexOf(name)}`;
const WINDOW = { window_width: 400, window_height: 120 };

describe('single_html, opened without the network, looks like the page:', () => {
  let site: FixtureSite;
  let service: SharedService;
  beforeAll(async () => {
    const served = [
      ...Object.entries(PAGES).map(([name, each]) => [pathOf(name), each] as const),
      ...Object.entries(FILES),
    ];
    const routes = served.map(([path, { type = 'text/html', body }]): [string, Route] => [
      path,
      ({ response }) => send(response, { type, body }),
    ]);
    [site, service] = await Promise.all([
      createFixtureSite({ moreRoutes: Object.fromEntries(routes) }),
      sharedService(),
    ]);
  });
  afterAll(() => site.close());

  it.for(Object.keys(PAGES))('%s', async (name) => {
    const url = site.url(pathOf(name));
    const [original, file] = await Promise.all([
      capture(service.url, { url, ...WINDOW }),
      capture(service.url, { url, format: 'single_html', ...WINDOW }),
    ]);
    const copy = await capture(service.url, { html_content: file.body.toString(), ...WINDOW });
    const [shown, expected] = await Promise.all([readPicture(copy.body), readPicture(original.body)]);

    expect([original.status, file.status, copy.status]).toEqual([200, 200, 200]);
    expect(file.body.toString()).not.toContain('data-capture-');
    expect(Buffer.compare(shown.rgba, expected.rgba)).toBe(0);
  });
});
