import { documentOf, type Fields, type HostileCase, type Scene, scriptPage } from '../hostile-case.ts';

const OUTCOMES: HostileCase['outcomes'] = ['200', '400 ValidationError', '500 TimeoutError', '500 PageCrashedError'];

/** Returns a case with this markup as header and footer, on a page of two sheets. */
function template(
  id: string,
  title: string,
  markup: (scene: Scene) => readonly string[],
  more: Pick<HostileCase, 'isCore' | 'outcomes'> = {},
): HostileCase {
  return {
    id,
    title,
    outcomes: ['200'],
    ...more,
    pages: () => ({ '': documentOf('<p>one<p style="break-before:page">two') }),
    requests: (scene) =>
      markup(scene).map((each) => ({
        url: scene.site,
        format: 'pdf',
        pdf_header_html: each,
        pdf_footer_html: each,
      })),
    // Requests of a header would come from the browser itself, outside of any gate: the sites or a canary would receive
    // them.
    verify: ({ requested }) => {
      const more = requested.filter((path) => path !== requested[0]);
      if (more.length > 0) throw new Error(`a template requested ${more.join()}`);
    },
  };
}

function printed(id: string, title: string, page: string, given: readonly Fields[], outcomes = OUTCOMES): HostileCase {
  return {
    id,
    title,
    outcomes,
    pages: () => ({ '': page }),
    requests: ({ site }) => given.map((fields) => ({ url: site, format: 'pdf', ...fields })),
  };
}

const GROWS = "let n = 0; addEventListener('beforeprint', () => { document.body.style.height = `${1000 * ++n}px`; });";

export const DOCUMENT_CASES: readonly HostileCase[] = [
  template(
    'P01',
    'a PDF header that loads pictures, styles, fonts, frames, plug-ins or another page',
    ({ canary, other }) =>
      [canary, other].flatMap((at) => [
        `<img src="${at}a" srcset="${at}b 2x"><link rel="stylesheet" href="${at}c"><link rel="modulepreload" href="${at}d"><link rel="prefetch" href="${at}e"><link rel="preconnect" href="${at}">`,
        `<style>@import url(${at}f); @\\69mport "${at}g"; @font-face { font-family: x; src: u\\72l(${at}h) } b { font-family: x; background: url(${at}i) }</style><b>x</b>`,
        `<iframe src="${at}j" srcdoc="<img src=${at}k>"></iframe><object data="${at}l"></object><embed src="${at}m"><video src="${at}n" poster="${at}o"></video>`,
        `<meta http-equiv="refresh" content="0;url=${at}p"><base href="${at}"><img src="q"><svg><image href="${at}r"/><use href="${at}s#x"/><style>@import "${at}t";</style></svg>`,
      ]),
    { isCore: true },
  ),
  template(
    'P02',
    'a PDF header with scripts',
    ({ canary }) => [
      `<script>for (;;);</script><img src="x" onerror="for (;;);"><svg onload="for (;;);"></svg>`,
      `<img src="data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==" onload="fetch('${canary}'); for (;;);">`,
      `<svg><style><!--</style><img src=x onerror="for (;;);">--></style></svg><math><mtext><table><mglyph><style><!--</style><img src onerror="for (;;);">`,
    ],
    { isCore: true },
  ),
  template('P03', 'a PDF header that closes its surrounding element', () => [
    '</div></div></body></html><h1 style="position:fixed;inset:0;background:red">x',
    '</template></style></title></textarea></script></iframe>--><plaintext>',
    '<textarea><title><xmp><noembed><template>',
  ]),
  template(
    'P04',
    'a PDF header that is expensive to render',
    () => [
      '<table>'.repeat(2_850),
      '<div>'.repeat(3_900),
      `<p>${Array.from({ length: 700 }, (_, n) => `<b id=${n}>`).join('')}${'<p>x'.repeat(2_000)}`,
      `<style>${'i{color:red}'.repeat(1_600)}</style>`,
      `<div style="width:9999999px;height:9999999px;filter:blur(9999px)">x</div>`,
    ],
    { outcomes: OUTCOMES },
  ),
  printed('P05', 'endless page ranges', documentOf('x'), [
    { pdf_page_ranges: '1-999999999' },
    { pdf_page_ranges: '1-,'.repeat(300) + '1-' },
    { pdf_page_ranges: '999999999-' },
    { pdf_page_ranges: '9'.repeat(900) },
  ]),
  printed(
    'P06',
    'a page that changes on every print, on one sheet',
    scriptPage(GROWS),
    [{ pdf_single_page: true }, { pdf_single_page: true, pdf_scale: 0.1 }],
    ['200'],
  ),
  printed(
    'P07',
    'a page that is taller than any sheet',
    scriptPage("document.body.style.height = '30000000px';"),
    [{ pdf_single_page: true }],
    ['400 ResultTooLargeError'],
  ),
  printed(
    'P08',
    'margins that leave almost no paper',
    documentOf('<p>x'.repeat(5_000)),
    [
      { pdf_margin: { top: '148mm', bottom: '148mm' } },
      { pdf_margin: '9999mm' },
      { pdf_width: 1, pdf_height: 1, pdf_margin: 0 },
    ],
    ['400 ValidationError'],
  ),
  printed(
    'P09',
    'a title with PDF syntax',
    documentOf(
      '<p>x',
      '<script>document.title = "x) endobj\\n1 0 obj <</Type /Pages /Count 99>> endobj trailer startxref 0 %%EOF".repeat(2000)</script>',
    ),
    [{ pdf_author: 'a' }, { pdf_author: 'a) endobj', pdf_page_ranges: '1', pdf_single_page: false }],
    ['200'],
  ),
];
