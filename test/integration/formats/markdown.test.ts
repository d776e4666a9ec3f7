import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFixtureSite, type FixtureSite } from '../../support/fixture-site.ts';
import { type CaptureAnswer, capture } from '../../support/http.ts';
import { type Routes, sendHtml } from '../../support/pages/exchange.ts';
import { type SharedService, sharedService } from '../../support/shared-service.ts';

const SENTENCE = 'The quick brown fox, which was not at all lazy, jumps over the dog, and over it again. ';
const ARTICLE = Array.from({ length: 8 }, (_, index) => `<p>Part ${index}. ${SENTENCE.repeat(3)}</p>`).join('');
const NAVIGATION =
  '<nav class="menu"><ul><li><a href="/a">Elsewhere</a></li><li><a href="/b">Nowhere</a></li></ul></nav>';
const READER_PAGE = `<!doctype html><title>A fox and a dog</title>${NAVIGATION}
  <main><article><h1>A fox and a dog</h1>${ARTICLE}</article></main><footer class="footer">Imprint</footer>`;

/** Pages by path, with their headers. */
const PAGES: Readonly<Record<string, readonly [markup: string, headers?: Readonly<Record<string, string>>]>> = {
  '/md/reader': [READER_PAGE],
  '/md/trusted-types': [
    READER_PAGE,
    {
      'content-security-policy': "require-trusted-types-for 'script'; trusted-types 'none'; report-uri /md/report",
    },
  ],
  '/md/portal': [
    `<title>Portal</title>${Array.from({ length: 60 }, (_, index) => `<div><a href="/x/${index}">A link with number ${index}</a></div>`).join('')}`,
  ],
  '/md/links': [
    `<a href="../up?q=1#part">up</a> <a href="#here">here</a> <a href="b (c)/d e">odd</a> <a href="//other.test/">other</a>
     <a href="java
script:alert(1)">script</a> <a href="data:text/html,x">data</a> <a href="mailto:a@b.test">mail</a>
     <img src="/p.png?x=a b" alt="a [picture]"> <img src="data:image/gif;base64,R0lGODlhAQABAAAAACw=" alt="inline">`,
  ],
  '/md/base': [`<base href="javascript:alert(1)//"><a href="x">x</a>`],
  '/md/frames': [`<p>outer</p><iframe src="/md/inner/"></iframe><iframe src="data:text/html,foreign"></iframe>`],
  '/md/inner/': ['<p>in a frame, <a href="x">beside it</a></p>'],
  '/md/loads': [`<p>text</p><img src="/loaded.png" srcset="/other.png 2x">`],
};

const routes: Routes = Object.fromEntries(
  Object.entries(PAGES).map(([path, [markup, headers = {}]]) => [
    path,
    ({ response }) => {
      for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
      sendHtml(response, markup);
    },
  ]),
);

describe('format: markdown', () => {
  let site: FixtureSite;
  let service: SharedService;
  beforeAll(async () => {
    [site, service] = await Promise.all([createFixtureSite({ moreRoutes: routes }), sharedService()]);
  });
  afterAll(() => site.close());

  const answerOf = (fields: Readonly<Record<string, unknown>>): Promise<CaptureAnswer> =>
    capture(service.url, { format: 'markdown', ...fields });
  const textOf = async (fields: Readonly<Record<string, unknown>>): Promise<string> => {
    const answer = await answerOf(fields);
    expect(answer.status).toBe(200);
    return answer.body.toString();
  };
  const allOf = (html_content: string): Promise<string> => textOf({ html_content, main_content: false });

  it('contains the main content and the title of the page', async () => {
    const answer = await answerOf({ url: site.url('/md/reader') });

    const text = answer.body.toString();
    expect(text).toMatch(/^# A fox and a dog\n\nPart 0\. The quick/);
    expect(text.match(/A fox and a dog/g)).toHaveLength(1);
    expect(text).toContain('Part 7.');
    expect(text).not.toMatch(/Elsewhere|Imprint/);
    expect(answer.headers.get('content-type')).toBe('text/markdown; charset=utf-8');
    expect(answer.headers.get('content-disposition')).toBe('attachment; filename=screenshot.md');
    expect(answer.headers.get('x-target-url')).toBe(site.url('/md/reader'));
    expect(answer.headers.has('x-capture-warnings')).toBe(false);
  });

  it('contains everything visible if the main content is not requested', async () => {
    const answer = await answerOf({ url: site.url('/md/reader'), main_content: false });

    expect(answer.body.toString()).toMatch(/Elsewhere[\s\S]+Part 7\.[\s\S]+Imprint/);
    expect(answer.headers.has('x-capture-warnings')).toBe(false);
  });

  it.each([
    ['no content', '<title>x</title>'],
    ['a few words', '<main><h1>Welcome</h1><p>Please sign in to continue.</p></main>'],
    [
      'mostly navigation',
      `<main><p>${SENTENCE}</p><ul>${'<li><a href="/a">An entry of a long list, with commas, of pages</a></li>'.repeat(80)}</ul></main>`,
    ],
    [
      'hardly any article text',
      `<div><div class="article"><p>${SENTENCE}</p></div></div><div><ul>${'<li><a href="/a">An entry of a long list</a></li>'.repeat(80)}</ul></div>`,
    ],
  ])('contains the whole of a page with %s, and reports it', async (_what, html_content) => {
    const answer = await answerOf({ html_content });

    expect(answer.status).toBe(200);
    expect(answer.headers.get('x-capture-warnings')).toBe('main_content_not_found');
    expect(answer.body.toString().match(/An entry/g) ?? []).toHaveLength(html_content.includes('entry') ? 80 : 0);
  });

  it('contains one selected element', async () => {
    const text = await textOf({ url: site.url('/md/reader'), selector: 'nav' });

    expect(text).toBe(`- [Elsewhere](${site.url('/a')})\n- [Nowhere](${site.url('/b')})\n`);
  });

  it('names the selector that matches nothing', async () => {
    const answer = await answerOf({ url: site.url('/md/reader'), selector: '#none' });

    expect(answer.json()).toMatchObject({ error_type: 'ElementNotFoundError' });
  });

  // Readability parses and writes markup. Trusted types forbid that to every script and report it.
  it('works on a page with trusted types without a violation report', async () => {
    const [free, bound] = [
      await textOf({ url: site.url('/md/reader') }),
      await textOf({ url: site.url('/md/trusted-types') }),
    ];

    expect(bound).toBe(free);
    expect(site.requests.filter(({ path }) => path === '/md/report')).toEqual([]);
  });

  it('has absolute URLs, and none that run scripts or embed data', async () => {
    const text = await textOf({ url: site.url('/md/links'), main_content: false });

    expect(text).toBe(
      [
        `[up](${site.url('/up?q=1#part')}) [here](${site.url('/md/links#here')}) [odd](${site.url('/md/b%20%28c%29/d%20e')})`,
        `[other](http://other.test/) script data [mail](mailto:a@b.test)`,
        `![a \\[picture\\]](${site.url('/p.png?x=a%20b')}) inline\n`,
      ].join(' '),
    );
  });

  it('ignores a script that changes the base URL', async () => {
    expect(await textOf({ url: site.url('/md/base'), main_content: false })).toBe(`[x](${site.url('/md/x')})\n`);
  });

  it('contains same-origin frames, with their own base URLs', async () => {
    const text = await textOf({ url: site.url('/md/frames'), main_content: false });

    expect(text).toBe(`outer\n\nin a frame, [beside it](${site.url('/md/inner/x')})\n`);
  });

  it('sends no requests that the page has not sent', async () => {
    const before = site.requests.length;
    await textOf({ url: site.url('/md/loads') });

    expect(
      site.requests
        .slice(before)
        .map(({ path }) => path)
        .toSorted(),
    ).toEqual(['/loaded.png', '/md/loads']);
  });

  it.each([
    [
      'elements with display none',
      '<p>a</p><p hidden>b</p><p style="display:none">c</p><div style="display:none"><p>d</p></div>',
      'a',
    ],
    [
      'invisible elements, except for visible descendants',
      '<p style="visibility:hidden">a<b style="visibility:visible">b</b></p>',
      '**b**',
    ],
    [
      'scripts, styles and templates',
      '<style>p{}</style><script>1</script><template>t</template><noscript>n</noscript>a',
      'a',
    ],
    ['elements that the browser skips', '<div style="content-visibility:hidden">a<p>b</p></div>c', 'c'],
    ['form values', '<form>name <input value="v"><select><option>o</select><textarea>t</textarea></form>', 'name'],
    [
      'icons and canvases',
      '<svg width="24" height="24"><title>Icon</title><text y="9">s</text></svg><canvas>c</canvas>a',
      'a',
    ],
  ])('omits %s', async (_what, html_content, expected) => {
    expect(await allOf(html_content)).toBe(`${expected}\n`);
  });

  it.each([
    ['collapsed content', '<details><summary>more</summary>folded<p hidden>x</p></details>', 'more\n\nfolded'],
    ['elements without a box', '<div style="display:contents"><p>a</p></div>', 'a'],
    [
      'open shadow trees with slotted content',
      `<x-y><i slot="s">put</i>left out</x-y><script>document.querySelector('x-y').attachShadow({ mode: 'open' }).innerHTML = 'in <slot name="s"></slot> tree'</script>`,
      'in *put* tree',
    ],
    [
      'words of spans on separate lines',
      '<span style="display:block">a</span><span style="display:block">b</span>',
      'a\n\nb',
    ],
    ['words of elements side by side', '<div style="display:flex"><span>a</span><span>b</span></div>', 'a b'],
    ['right-to-left text', '<p dir="rtl">שלום <b>עולם</b></p>', 'שלום **עולם**'],
    ['a formula', '<math><mi>x</mi><mo>=</mo><mn>1</mn></math>', 'x=1'],
    [
      'its source URL',
      '<math><semantics><mi>x</mi><annotation encoding="application/x-tex">x^2</annotation></semantics></math>',
      '$x^2$',
    ],
    [
      'content with clobbered form properties',
      '<form><input name="childNodes"><input name="nodeType"><input name="getAttribute"><p>a</p></form>',
      'a',
    ],
    [
      'content with clobbered document properties',
      '<img name="body" alt="b"><img name="implementation"><form name="title"></form><p>a</p>',
      'b\n\na',
    ],
    ['zeros', '<p></p><script>document.querySelector("p").textContent = "a\\0b\\ud800"</script>', 'a\ufffdb\ufffd'],
  ])('contains %s', async (_what, html_content, expected) => {
    expect(await allOf(html_content)).toBe(`${expected}\n`);
  });

  it.each([
    ['headings', '<h1>a</h1><h3>b<br>c</h3>', '# a\n\n### b c'],
    ['emphasis', '<em>a</em> <b>b</b> <s>c</s> <code>d`e</code>', '*a* **b** ~~c~~ ``d`e``'],
    ['nested lists', '<ul><li>a<ol start="3"><li>b<li>c</ol><li>d</ul>', '- a\n  3. b\n  4. c\n- d'],
    ['task lists', '<ul><li><input type="checkbox" checked> a<li><input type="checkbox"> b</ul>', '- [x] a\n- [ ] b'],
    ['quotes', '<blockquote><p>a</p><p>b</p></blockquote>', '> a\n> \n> b'],
    ['code', '<pre><code class="language-ts">if (a) {\n  b\n}\n</code></pre>', '```ts\nif (a) {\n  b\n}\n```'],
    ['fenced code', '<pre>```\na\n```</pre>', '````\n```\na\n```\n````'],
    [
      'code on separate lines',
      '<pre><span style="display:block">a</span><span style="display:block">b</span></pre>',
      '```\na\nb\n```',
    ],
    [
      'tables',
      '<table><tr><th>a<th align="right">b<tr><td>1|2<td>3<br>4</table>',
      '| a | b |\n| --- | ---: |\n| 1\\|2 | 3<br>4 |',
    ],
    [
      'wide cells',
      '<table><tr><th colspan="2">a<th>b<tr><td rowspan="2">1<td>2<td>3<tr><td>4<td>5</table>',
      '| a |  | b |\n| --- | --- | --- |\n| 1 | 2 | 3 |\n| 1 | 4 | 5 |',
    ],
    [
      'lists in cells',
      '<table><tr><th>a<th>b<tr><td>1<td><ul><li>x<li>y</ul></table>',
      '| a | b |\n| --- | --- |\n| 1 | • x<br>• y |',
    ],
    ['layout tables', '<table role="presentation"><tr><td>a<td>b</table>', 'a b'],
    [
      'cells without a table',
      '<div></div><script>document.querySelector("div").append(document.createElement("td"), "a")</script>',
      'a',
    ],
    ['cards', '<a href="http://a.test/"><h2>Title</h2><p>Words</p></a>', '## [Title](http://a.test/)\n\nWords'],
    [
      'icon links',
      '<a href="http://a.test/" aria-label="Home"><svg></svg></a><a href="http://b.test/"></a>',
      '[Home](http://a.test/)',
    ],
    ['links behind a script call', '<p>Look!<a href="http://a.test/">a</a></p>', String.raw`Look\![a](http://a.test/)`],
    [
      'code with links and marks',
      '<p><code>Map&lt;<a href="http://a.test/">Key</a>, <i>V</i>></code></p>',
      '`Map<Key, V>`',
    ],
  ])('writes %s', async (_what, html_content, expected) => {
    expect(await allOf(html_content)).toBe(`${expected}\n`);
  });

  it.each([
    ['*a* _b_ `c` [d](e)', String.raw`\*a\* \_b\_ \`c\` \[d\](e)`],
    ['snake_case_word', 'snake_case_word'],
    ['&lt;script>alert(1)&lt;/script>', String.raw`\<script>alert(1)\</script>`],
    ['&amp;lt; &amp;#60; a & b', String.raw`\&lt; \&#60; a & b`],
    ['# a', String.raw`\# a`],
    ['1. a', String.raw`1\. a`],
    ['2) a', String.raw`2\) a`],
    ['- a', String.raw`\- a`],
    ['> a', String.raw`\> a`],
    ['~~a~~', String.raw`\~\~a\~\~`],
    ['a < b, 3 * 4 \\ 5', String.raw`a < b, 3 \* 4 \\ 5`],
  ])('keeps %s as literal text', async (text, expected) => {
    expect(await allOf(`<p>${text}</p>`)).toBe(`${expected}\n`);
  });

  it.each([
    ['split markup', '<p>&lt;<b>img src=x onerror=alert(1)></b></p>', String.raw`\<**img src=x onerror=alert(1)>**`],
    ['line breaks in an alternative text', '<img src="/x" alt="a&#13;&#13;# b">', '![a # b](/x)'],
    ['line breaks in a label', '<a href="/x" aria-label="a&#10;&#10;# b"></a>', '[a # b](/x)'],
    ['line breaks in a title', '<a href="/x" title="a&#13;&#10;&#13;&#10;# b"></a>', '[a # b](/x)'],
    [
      'a scheme that only a parser recognises',
      '<a href="javascript&amp;colon;alert(1)">a</a>',
      '[a](javascript&amp;colon;alert%281%29)',
    ],
  ])('does not let a page inject markdown by %s', async (_what, html_content, expected) => {
    expect(await allOf(html_content)).toBe(`${expected}\n`);
  });

  it('uses a fence longer than any in the code', async () => {
    const text = await allOf(`<pre>${'```\n'.repeat(10_001)}\`\`\`\`\n# out</pre>`);

    expect([text.slice(0, 10), text.slice(-12)]).toEqual(['`````\n```\n', '# out\n`````\n']);
  });

  it('shows one consistent state of a page that never stops changing', async () => {
    const text = await textOf({
      html_content: `<body><script>
        setInterval(() => {
          const now = performance.now();
          document.body.innerHTML = '<p>' + now + '</p><p>' + now + '</p>';
        }, 1);
      </script>`,
      main_content: false,
    });

    expect(text).toMatch(/^([\d.]+)\n\n\1\n$/);
  });

  it('is correct on a page that replaces built-in objects', async () => {
    const text = await textOf({
      html_content: `<script>
        for (const of of [Node, Element, Document, Array, String, RegExp, Map, WeakMap, Set, Reflect, URL])
          for (const name of Object.getOwnPropertyNames(of.prototype ?? of))
            try { (of.prototype ?? of)[name] = () => { throw new Error('reached'); }; } catch {}
        DOMParser = undefined; getComputedStyle = undefined;
      </script><p>a <a href="http://a.test/">b</a></p>`,
      main_content: false,
    });

    expect(text).toBe('a [b](http://a.test/)\n');
  });
});
