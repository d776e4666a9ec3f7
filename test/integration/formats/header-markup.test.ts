import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFixtureSite, type FixtureSite } from '../../support/fixture-site.ts';
import { capture } from '../../support/http.ts';
import { type Pdf, readPdf } from '../../support/pdf.ts';
import { type SharedService, sharedService } from '../../support/shared-service.ts';

/**
 * Markup that a second parser reads differently from the first (mutation XSS), around a payload without double quotes.
 */
const MUTATIONS: Readonly<Record<string, (payload: string) => string>> = {
  'form in math, xmp': (payload) => `<form><math><mtext></form><form><mglyph><xmp></math>${payload}`,
  'form in math, style': (payload) => `<form><math><mtext></form><form><mglyph><style></math>${payload}`,
  'form in math, noembed': (payload) => `<form><math><mtext></form><form><mglyph><noembed></math>${payload}`,
  'form in math, noframes': (payload) => `<form><math><mtext></form><form><mglyph><noframes></math>${payload}`,
  'form in math, plaintext': (payload) => `<form><math><mtext></form><form><mglyph><plaintext></math>${payload}`,
  'form in math, svg': (payload) =>
    `<form><math><mtext></form><form><mglyph><svg><mtext><style><path id="</style>${payload}">`,
  'table in math': (payload) => `<math><mtext><table><mglyph><style><!--</style>${payload}-->`,
  'comment in style in svg': (payload) => `<svg></p><style><a id="</style>${payload}">`,
  'style in annotation': (payload) => `<math><annotation-xml encoding="text/html"><style><p id="</style>${payload}">`,
  'style in desc': (payload) => `<svg><desc><style><p id="</style>${payload}">`,
  'style in foreignObject': (payload) => `<svg><foreignObject><math><mi><style><p id="</style>${payload}">`,
  noembed: (payload) => `<noembed><p id="</noembed>${payload}">`,
  noframes: (payload) => `<noframes><p id="</noframes>${payload}">`,
  noscript: (payload) => `<noscript><p id="</noscript>${payload}">`,
  xmp: (payload) => `<xmp><p id="</xmp>${payload}">`,
  iframe: (payload) => `<iframe><p id="</iframe>${payload}">`,
  title: (payload) => `<svg><title><style><p id="</title></style>${payload}">`,
  textarea: (payload) => `<textarea><p id="</textarea>${payload}">`,
  template: (payload) => `<template><p id="</template>${payload}">${payload}</template>`,
  select: (payload) => `<select><style></select><p id="</style>${payload}">`,
  listing: (payload) => `<listing>&lt;/listing&gt;${payload}</listing>`,
  plaintext: (payload) => `<plaintext>${payload}`,
  'comment that ends at once': (payload) => `<!--><p id="-->${payload}<!--">`,
  'comment that ends in a bang': (payload) => `<!--a--!>${payload}<!---->`,
  CDATA: (payload) => `<svg><![CDATA[</svg>${payload}]]>`,
  instruction: (payload) => `<?x ${payload}?><![x[${payload}]]>`,
  'style with an end in an escape': (payload) => `<style>a::after { content: "\\3c/style>${payload}" }</style>`,
  'out of the block': (payload) => `</div></div></body></html></template></style>${payload}`,
  'deep nesting': (payload) => `${'<div>'.repeat(600)}<table>${'<b>'.repeat(8)}${payload}`,
};

const PICTURE =
  "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg'><text y='9' font-size='9'>Drawn</text></svg>";

describe('the markup of a header or footer', () => {
  let site: FixtureSite;
  let service: SharedService;
  beforeAll(async () => {
    [site, service] = await Promise.all([createFixtureSite(), sharedService()]);
  });
  afterAll(() => site.close());

  const print = async (header: string, html_content = '<p>Page'): Promise<Pdf> => {
    const answer = await capture(service.url, {
      html_content,
      format: 'pdf',
      pdf_header_html: header,
      pdf_footer_html: header,
    });
    expect([answer.status, answer.status === 200 ? '' : answer.body.toString()]).toEqual([200, '']);
    return await readPdf(answer.body);
  };

  it.each(Object.keys(MUTATIONS))('runs and loads nothing after a mutation: %s', async (name) => {
    const at = (path: string): string => site.url(`/canary-${path}`);
    const payloads = [
      `<link rel=stylesheet href=${at('sheet')}>`,
      `<img src=${at('picture')} onerror=document.body.textContent='ran'><script>document.body.textContent='ran'</script>`,
      `<style>@import '${at('import')}'; @font-face { font-family: x; src: url(${at('font')}) } * { font-family: x }</style><iframe src=${at('frame')}></iframe>`,
    ];
    const before = site.requests.length;

    const pdfs = await Promise.all(payloads.map((payload) => print(`<i>Seen</i>${MUTATIONS[name]?.(payload) ?? ''}`)));

    expect(pdfs.map(({ pages: [page] }) => page?.text.includes('Seen'))).toEqual([true, true, true]);
    expect(site.requests.slice(before)).toEqual([]);
  });

  it('keeps its styles, classes, tables, links and inline pictures', async () => {
    const pdf = await print(
      `<style>.small { font-size: 6px } @media print { .hidden { display: none } }</style>
       <table style="width: 100%"><tr><td class="small" colspan="2">Small</td><td align="right" style="font-size: 12px">Large</td></tr></table>
       <span class="hidden">Hidden</span><a href="https://example.com/terms">Terms</a> <custom-tag>Custom</custom-tag>
       <img src="${PICTURE}" width="40" height="12"><svg width="40" height="12"><text y="9" font-size="9">Inline</text></svg>`,
    );

    const [page] = pdf.pages;
    const heightOf = (text: string): number => page?.runs.find((run) => run.text === text)?.heightPt ?? 0;
    for (const word of ['Small', 'Large', 'Terms', 'Custom', 'Drawn', 'Inline']) expect(page?.text).toContain(word);
    expect(page?.text).not.toContain('Hidden');
    expect(heightOf('Large') / heightOf('Small')).toBeCloseTo(2, 1);
  });

  it('works on a page with trusted types and on one without a root element', async () => {
    const policy = `<meta http-equiv="Content-Security-Policy" content="require-trusted-types-for 'script'; trusted-types 'none'">`;
    const pdfs = await Promise.all([
      print('<b>Seen</b>', `${policy}<p>Page`),
      print('<b>Seen</b>', '<script>onload = () => document.documentElement.remove()</script>'),
    ]);

    expect(pdfs.map(({ pages: [page] }) => page?.text.includes('Seen'))).toEqual([true, true]);
  });
});
