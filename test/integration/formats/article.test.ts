import { beforeAll, describe, expect, it } from 'vitest';
import { capture } from '../../support/http.ts';
import { type SharedService, sharedService } from '../../support/shared-service.ts';

interface PageCase {
  readonly markup: string;
  /** Texts of the Markdown, in this order. */
  readonly has: readonly string[];
  /** Texts that are not in it. */
  readonly lacks?: readonly string[];
}

const sentence = (about: string): string =>
  `The ${about} was described by three people who had seen it, and who agreed on all that matters, except for the date.`;
const p = (about: string): string => `<p>${sentence(about)} ${sentence(about)}</p>`;
const NAV = '<header><nav><a href="/">Home</a> <a href="/news">News</a> <a href="/shop">Shop</a></nav></header>';
const TEASERS =
  '<section class="related"><h2>Read more</h2><ul><li><a href="/1">Fish prices rise again</a></li><li><a href="/2">A new ferry for the lake</a></li></ul></section>';
const FOOT = '<footer>© 2026 The Lantern. <a href="/imprint">Imprint</a></footer>';
const LINKS = ['Fish prices', 'Imprint', 'Home'];

/** Kinds of pages with parts that a reader view is inclined to drop, as a person reads them. */
const PAGES: Readonly<Record<string, PageCase>> = {
  'an encyclopedia with edit links beside its headings': {
    markup: `<main><h1>River</h1>${p('river')}<div class="mw-heading"><h2 id="a">History</h2><span class="mw-editsection">[<a href="/edit">edit</a>]</span></div>${p('history')}
      <h3>First plan<span class="mw-editsection">[<a href="/edit?2">edit source</a>]</span></h3>${p('plan')}<h2>See also</h2><ul><li><a href="/lake">Lake</a></li></ul></main>`,
    has: ['## History', '### First plan', '## See also', '- [Lake](/lake)'],
    lacks: ['edit', 'Home'],
  },
  'documentation with anchors, numbers and buttons': {
    markup: `<article><h1>Queue</h1>${p('queue')}<h2 id="size">Size<a class="hash-link" href="#size" aria-label="Direct link to Size">\u200B</a></h2>${p('size')}
      <div class="highlight-yaml"><button class="copybtn">Copy</button><pre><span class="linenos">1</span>size: 5\n<span class="linenos">2</span>wait: 3</pre></div>
      <h3><a href="#wait" class="anchor">#</a>Wait</h3>${p('wait')}<h2>Variables<a href="#vars" title="Permalink to this heading">¶</a></h2>${p('variable')}
      <div class="hljs"><pre><code class="language-js"><span style="display:block"><i style="user-select:none">1</i>go();</span><span style="display:block"><i style="user-select:none">2</i>stop();</span></code></pre></div></article>`,
    has: ['## Size\n', '```yaml\nsize: 5\nwait: 3\n```', '### Wait\n', '## Variables\n', '```js\ngo();\nstop();\n```'],
    lacks: ['Copy', 'Direct link', '¶', '[#]'],
  },
  'a README with headings in boxes and tasks': {
    markup: `<article class="markdown-body"><div class="markdown-heading"><h2>Install</h2><a class="anchor" aria-label="Permalink: Install" href="#install"><svg></svg></a></div>${p('install')}
      <div class="markdown-heading"><h2>Plan</h2><a class="anchor" href="#plan"></a></div><ul><li><input type="checkbox" checked disabled> done</li><li><input type="checkbox" disabled> open</li></ul>${p('plan')}</article>`,
    has: ['## Install', '## Plan', '- [x] done', '- [ ] open'],
    lacks: ['Permalink'],
  },
  'questions that are buttons': {
    markup: `<main><h1>Help</h1>${p('help')}<h3><button aria-expanded="true">Where is it?</button></h3>${p('place')}<h3><button style="display:block">May I?</button></h3>${p('right')}
      <p>Still open? <button style="display:inline">Write to us</button> at any time of the day, and of the night as well.</p></main>`,
    has: ['### Where is it?', '### May I?', 'Still open? Write to us at any time'],
  },
  'a site on one page, with chapters deep in boxes after a flat first one': {
    markup: `<main><div><section><h1>Farm</h1>${p('field')}${p('barn')}${p('well')}</section>${[
      'Orchard',
      'Cellar',
      'Bakery',
    ]
      .map(
        (name) =>
          `<div><div><div><div><h2>${name}</h2><div><div>${p(`${name} door`)}</div></div><div><div>${p(`${name} roof`)}</div></div></div></div></div></div>`,
      )
      .join('')}</div></main>`,
    has: ['field', 'well', '## Orchard', 'Orchard door', '## Bakery', 'Bakery roof'],
    lacks: ['Home'],
  },
  'text before a table, in boxes of its own': {
    markup: `<main><h1>Travel</h1><div><p>The fund is open all year.</p></div><div><p>Write four weeks before.</p></div><div><table><tr><th>Name<th>Sum${Array.from({ length: 20 }, (_, at) => `<tr><td>Member ${at}<td>${at}00`).join('')}</table></div></main>`,
    has: ['open all year', 'four weeks', '| Name | Sum |', '| Member 19 | 1900 |'],
  },
  'paragraphs that are links': {
    markup: `<article><h1>Storm</h1>${p('storm')}<p><a href="/live">On Sunday the wind had reached force eleven, and the lighthouse had lost two windows.</a></p>${p('boat')}${TEASERS}</article>`,
    has: ['[On Sunday the wind had reached force eleven'],
  },
  'a newsletter with titles that have "header" in their class': {
    markup: `<div class="post"><h1>Letter</h1>${p('letter')}<h2 class="header-anchor-post">First part<div class="header-anchor-parent"><div id="x"></div></div></h2>${p('first')}<h2 class="header-anchor-post">Second part</h2>${p('second')}
      <div class="subscribe-widget"><form><input type="email"><button>Subscribe</button></form></div></div>`,
    has: ['## First part', '## Second part'],
    lacks: ['Subscribe'],
  },
  'pages of a builder, where each heading is a widget': {
    markup: `<div>${['Start', 'Middle', 'End'].map((name) => `<div class="elementor-widget elementor-widget-heading"><div class="elementor-widget-container"><h2>${name}</h2></div></div><div class="elementor-widget elementor-widget-text">${p(name)}</div>`).join('')}</div>`,
    has: ['## Start', '## Middle', '## End'],
  },
  'a product with its price above the description': {
    markup: `<main><div class="product"><div><h1>Kettle</h1><div class="price"><del>€59.90</del> <ins>€49.90</ins></div><p class="stock">In stock</p><form><button>Add to cart</button></form><ul><li>1.7 litres</li></ul></div>
      <div class="tabs"><h2>Description</h2>${p('kettle')}${p('lid')}<table><tr><td>Power</td><td>2 kW</td></tr><tr><td>Weight</td><td>1 kg</td></tr></table></div></div>${TEASERS}</main><script type="application/ld+json">{"@type":"Product","name":"Kettle"}</script>`,
    has: ['€49.90', 'In stock', '- 1.7 litres', '## Description', '| Power | 2 kW |'],
    lacks: ['Add to cart'],
  },
  'a notebook with code and outputs': {
    markup: `<main>${[1, 2, 3].map((n) => `<div class="cell"><div class="jp-InputPrompt">[${n}]:</div><div class="highlight-ipython3"><pre>x = ${n}</pre></div></div><div class="cell"><h2>Step ${n}</h2>${p(`step ${n}`)}</div><div class="output_area"><pre>${n * n}</pre></div>`).join('')}</main>`,
    has: ['x = 1', '## Step 1', '```\n1\n```', 'x = 3', '## Step 3', '9'],
  },
  'a question with answers': {
    markup: `<main><h1>How?</h1><div class="question">${p('question')}</div>${['Ada', 'Bo', 'Cy'].map((name) => `<div class="answer"><div class="answer-text">${p(`answer of ${name}`)}</div><div class="user">${name}</div></div>`).join('')}</main>`,
    has: ['The question', 'answer of Ada', 'answer of Bo', 'answer of Cy'],
  },
  'news with a byline, share bar, teasers between, and a caption': {
    markup: `<article><h1>Harbour</h1><div class="byline">By Ada Lovelace</div><p class="timestamp">Updated 5:27 am, Nov 20, 2026</p><div class="share-bar"><a href="https://x.example/share">Share</a></div>${p('harbour')}
      <figure><img src="/a.png" width="90" height="60" alt="Boats"><figcaption>Boats at dawn, by Bo.</figcaption></figure>${p('boat')}<p><strong>Read more: </strong><a href="/9">Ten things about boats you did not know</a></p>${p('net')}</article>${TEASERS}`,
    has: ['The harbour', 'Boats at dawn', 'The boat', 'The net'],
    lacks: ['Ada Lovelace', 'Updated 5:27', 'Share', 'Ten things'],
  },
  'a recipe': {
    markup: `<article><h1>Soup</h1>${p('soup')}<h2>Ingredients</h2><ul><li>2 onions</li><li>1 l water</li></ul><h2>Steps</h2><ol><li>Cut the onions.</li><li>Boil them.</li></ol></article>`,
    has: ['## Ingredients', '- 2 onions', '## Steps', '1. Cut the onions.'],
  },
  'a law text with numbered clauses': {
    markup: `<main><h1>Act</h1><section><h2>§ 1 Scope</h2>${p('scope')}</section><section><h2>§ 2 Sharing of costs</h2>${p('cost')}<ol type="a"><li>first</li><li>second</li></ol></section></main>`,
    has: ['## § 1 Scope', '## § 2 Sharing of costs', '1. first'],
  },
  'a changelog': {
    markup: `<main><h1>Changes</h1>${p('release')}<h2>2.1.0</h2><ul><li>Queues keep their order.</li></ul><h2>2.0.0</h2><ul><li>First stable release.</li></ul></main>`,
    has: ['## 2.1.0', '- Queues keep their order.', '## 2.0.0', '- First stable release.'],
  },
  'an event with an address in the footer of its article': {
    markup: `<article><h1>Fair</h1>${p('fair')}${p('hall')}<footer><h2>Contact</h2><address>Hall 3, Lake Road 5, Graz</address></footer></article>`,
    has: ['The fair'],
  },
  'text from right to left': {
    markup: `<div dir="rtl" lang="ar"><article><h1>النهر</h1><p>${'وصف ثلاثة أشخاص النهر واتفقوا على كل ما يهم ما عدا التاريخ. '.repeat(4)}</p><h2>التاريخ</h2><p>${'بني الجسر قبل مئة عام من الحجر. '.repeat(6)}</p></article></div>`,
    has: ['## التاريخ', 'بني الجسر'],
  },
  'Chinese text without spaces': {
    markup: `<article><h1>河边的树</h1><p>${'清晨六点我们从村口出发，沿着小溪向上走。'.repeat(6)}</p><h2>第一座亭子</h2><p>${'走到半山腰，果然看见了太阳。'.repeat(8)}</p></article>`,
    has: ['## 第一座亭子', '走到半山腰'],
  },
};

let service: SharedService;
beforeAll(async () => {
  service = await sharedService();
});

async function markdownOf(markup: string, fields: object = {}): Promise<{ text: string; warnings: string | null }> {
  const html_content = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Page</title>${NAV}${markup}${FOOT}`;
  const answer = await capture(service.url, { html_content, format: 'markdown', ...fields });
  expect(answer.status).toBe(200);
  return { text: answer.body.toString('utf8'), warnings: answer.headers.get('x-capture-warnings') };
}

describe.concurrent('the main content', () => {
  it.each(Object.entries(PAGES))('is whole for %s', async (_name, { markup, has, lacks = [] }) => {
    const { text, warnings } = await markdownOf(markup);

    let at = 0;
    for (const piece of has) {
      expect(text.slice(at)).toContain(piece);
      at = text.indexOf(piece, at) + piece.length;
    }
    expect([...LINKS, ...lacks].filter((piece) => text.includes(piece))).toEqual([]);
    expect(warnings).toBe(/<img src="\//.test(markup) ? 'file_missing' : null); // it names a picture of its own site
  });

  it('warns if much of its part of the page is left out', async () => {
    const rows = Array.from(
      { length: 30 },
      (_, index) => `<div>Row ${index} of a list that has no sentences</div>`,
    ).join('');
    const { warnings } = await markdownOf(`<div>${p('article').repeat(4)}<div class="extra">${rows}</div></div>`);

    expect(warnings).toBe('main_content_reduced');
  });
});

describe.concurrent('pictures in Markdown', () => {
  const set = 'https://img.example/a-300.jpg 300w, https://img.example/a,900.jpg 900w';
  const tiny = 'data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7';

  it.each([
    ['data-src', `src="${tiny}" data-src="https://img.example/b.jpg"`, 'https://img.example/b.jpg'],
    ['data-srcset', `src="${tiny}" data-srcset="${set}"`, 'https://img.example/a,900.jpg'],
    ['srcset alone', `srcset="${set}" loading="lazy" style="margin-top: 9000px"`, 'https://img.example/a,900.jpg'],
    [
      'an attribute with JSON',
      `data-attrs='{"src":"https://img.example/c.png","width":9}'`,
      'https://img.example/c.png',
    ],
    ['no address at all', `src="${tiny}"`, undefined],
    [
      'a picture that is loaded',
      `src="https://img.example/d.png" data-src="https://img.example/e.png"`,
      'https://img.example/e.png',
    ],
  ])('have the address of %s', async (_name, attributes, address) => {
    const { text } = await markdownOf(`<p>Before <img alt="Alt" ${attributes}> after</p>`, {
      main_content: false,
      block_resources: ['image'],
    });

    expect(text).toContain(address === undefined ? 'Before Alt after' : `![Alt](${address})`);
  });

  it.each([
    ['keep', 'Before ![Alt](https://img.example/a.png) after'],
    ['alt', 'Before Alt after'],
    ['none', 'Before after'],
  ])('are written as markdown_images: %s says', async (markdown_images, expected) => {
    const { text } = await markdownOf('<p>Before <img alt="Alt" src="https://img.example/a.png"> after</p>', {
      main_content: false,
      markdown_images,
      block_resources: ['image'],
    });

    expect(text.replaceAll('  ', ' ')).toContain(expected);
  });
});
