import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { capture } from '../../support/http.ts';
import { type SharedService, sharedService } from '../../support/shared-service.ts';

let service: SharedService;
beforeAll(async () => {
  service = await sharedService();
});

async function markdownOf(html_content: string, fields: object = {}): Promise<string> {
  const answer = await capture(service.url, { html_content, format: 'markdown', main_content: false, ...fields });
  expect(answer.status).toBe(200);
  return answer.body.toString().trim();
}

async function articleOf(html_content: string): Promise<{ text: string; warnings: string | null }> {
  const { body, headers } = await capture(service.url, { html_content, format: 'markdown' });
  return { text: body.toString().trim(), warnings: headers.get('x-capture-warnings') };
}

const row = (role: string, cells: readonly string[]): string =>
  `<div role="row">${cells.map((cell) => `<span role="${role}">${cell}</span>`).join('')}</div>`;
const shown = (display: string, content: string): string => `<div style="display:${display}">${content}</div>`;
const line = (...cells: readonly string[]): string =>
  shown('table-row', cells.map((cell) => shown('table-cell', cell)).join(''));

const TITLES = [
  'Wheels of oak that turned for years',
  'Rye and its price in the valley',
  'The long summer without any water',
];
const cards = (tag: string, words: string, count = 3, titles = TITLES): string =>
  titles
    .slice(0, count)
    .map((title, at) => `<${tag}><h3><a href="/story-${at}">${title}</a></h3><div>${words}</div></${tag}>`)
    .join('');

describe('markdown has the words that a page shows', () => {
  const PAGES: Readonly<Record<string, readonly [html: string, markdown: string]>> = {
    'a table by role': [
      `<div role="table">${row('columnheader', ['Lamp', 'Power'])}<div role="rowgroup">${row('cell', ['L1', '40 W'])}</div></div>`,
      '| Lamp | Power |\n| --- | --- |\n| L1 | 40 W |',
    ],
    'a table by display': [
      shown('table', line('Lamp', 'L1') + line('Power', '40 W')),
      '|  |  |\n| --- | --- |\n| Lamp | L1 |\n| Power | 40 W |',
    ],
    'a box that is a table for its place alone': [
      shown('table', shown('table-cell', 'In the middle')),
      'In the middle',
    ],
    'a list and a heading by role': [
      '<div role="heading" aria-level="3">Parts</div><div role="list"><div role="listitem">One</div><div role="listitem">Two</div></div>',
      '### Parts\n\n- One\n- Two',
    ],
    'labels of a drawing': [
      '<svg width="300" height="100"><title>Steps</title><text y="20">Grind <tspan>twice</tspan></text><foreignObject y="30" width="90" height="40"><div xmlns="http://www.w3.org/1999/xhtml">Fill sacks</div></foreignObject></svg>',
      'Steps · Grind twice · Fill sacks',
    ],
    'pieces of code that touch': ['<p><code>E1</code><code>E2</code> end', '`E1` `E2` end'],
    'words without marks for breaks': ['<p>Donau&shy;dampf&#8203;schiff', 'Donaudampfschiff'],
    'an open popover and an open dialog': [
      `<p>Plans</p><div popover id="p">The basic plan ends in May.</div><div popover>Closed</div><dialog open>Prices rise.</dialog><dialog>Shut</dialog><script>p.showPopover()</script>`,
      'Plans\n\nThe basic plan ends in May.\n\nPrices rise.',
    ],
    'words of rules that search': [
      '<style>p:has(b)::before { content: "Note: " }</style><p><b>Wet</b> paint.<p>Dry.',
      'Note: **Wet** paint.\n\nDry.',
    ],
    'words of a rule among thousands': [
      `<style>${Array.from({ length: 2000 }, (_, at) => `.a${at}::before { content: "no" }`).join('')} p::before { content: "Note: " }</style><p>Wet paint.`,
      'Note: Wet paint.',
    ],
    'no name of an icon': ['<p><svg width="16" height="16"><title>Star</title></svg>Five stars', 'Five stars'],
    'numbers of counters': [
      `<style>body { counter-reset: s } h2 { counter-increment: s; counter-reset: p } h2::before { content: "§ " counter(s, upper-roman) " " } p { counter-increment: p } p::before { content: counter(s) "." counter(p) " " }</style>
       <h2>Rent</h2><p>It is due.<p>It is paid.<h2>Bell</h2><p>It rings.`,
      '## § I Rent\n\n1.1 It is due.\n\n1.2 It is paid.\n\n## § II Bell\n\n2.1 It rings.',
    ],
    'generated words, but no icons, hints and bullets': [
      `<style>.need::before { content: "Required: " } .icon::before { font-family: "Material Icons"; content: "search" } .hint::after { position: absolute; content: "Hint" } .dot::before { content: "• " } .unit::after { content: attr(data-unit); margin-left: 4px }</style>
       <p class="need">name<p class="icon">Find<p class="hint">Place<p class="dot">Point<p class="unit" data-unit="kg">5`,
      'Required: name\n\nFind\n\nPlace\n\nPoint\n\n5 kg',
    ],
    'the value of a cell over several rows in each of them': [
      '<table><tr><th>Day<th>Room<tr><td rowspan="2">Monday<td>1<tr><td>2</table>',
      '| Day | Room |\n| --- | --- |\n| Monday | 1 |\n| Monday | 2 |',
    ],
    'no empty items': ['<ul><li></li><li><ul><li> </li></ul></li><li>One</li></ul>', '- One'],
    'code without its bar': [
      `<div class="box"><div class="bar"><span class="lang">Shell</span><span>Copied!</span><button>Copy to Clipboard</button></div><pre><code>door open</code></pre></div>`,
      '```\ndoor open\n```',
    ],
    'a page that is hidden until a script shows it': [
      '<!doctype html><style>html { display: none }</style><h1>Printers</h1>',
      '# Printers',
    ],
  };

  it.each(Object.entries(PAGES))('has %s', async (_what, [html, markdown]) => {
    expect(await markdownOf(html)).toBe(markdown);
  });

  it('has numbers, but no generated words, in the text that a person can see: whether they show is not known', async () => {
    const html = `<style>h2 { counter-increment: s } h2::before { content: counter(s) ". " } p::before { content: "Obey: " }</style><h2>Rent</h2><p>It is due.`;

    expect(await markdownOf(html, { visible_text: true })).toBe('## 1\\. Rent\n\nIt is due.');
  });
});

const PARAGRAPH =
  'A brown dog was found at the station on Monday, and the police brought it to the home for animals, where it waits.';

const turn = (time: string, text: string): string =>
  `<div><b>Ann</b> <span class="timestamp"><a href="https://v.test/?t=${time}">(00:00:${time})</a></span> <span>${text}</span></div>`;

describe('the main content', () => {
  it.each([
    ['English', 'By Ann Lee, 12 March 2024', 'More for you', 'Read as well:', 'Share with:', 'Updated 12 March 2024'],
    [
      'German',
      'Von Erika Muster, 12. März 2024',
      'Auch interessant',
      'Lesen Sie auch:',
      'Teilen mit:',
      'Aktualisiert: 12. März 2024',
    ],
    ['Polish', 'Anna Lis, 12 marca 2024', 'Zobacz także', 'Czytaj też:', 'Udostępnij:', 'Aktualizacja: 12 marca 2024'],
  ])(
    'ends with its last sentence, and begins with its first: %s',
    async (_language, byline, more, read, share, date) => {
      const html = `<title>Dog found</title><article><h1>Dog found</h1><p>${byline}</p><p>${PARAGRAPH}</p><p>${PARAGRAPH}</p>
      <h3>${more}</h3><ul><li><a href="/1">Cat on the roof: the fire service had to help</a></li><li><a href="/2">The home looks for friends of old animals</a></li></ul>
      <p>${read} <a href="/3">What to do if you have found a dog in your street</a></p><p>${share} <a href="/f">F</a></p><p>${date}</p></article>`;

      expect((await articleOf(html)).text).toBe(`# Dog found\n\n${PARAGRAPH}\n\n${PARAGRAPH}`);
    },
  );

  it('keeps links at its end that are no titles of other articles, and what follows with sentences', async () => {
    const html = `<title>Guide</title><article><h1>Guide</h1><p>${PARAGRAPH}</p><p>${PARAGRAPH}</p>
      <h2>Next steps</h2><ul><li><a href="/1">Install</a></li><li><a href="/2">Configure</a></li></ul></article>`;

    expect((await articleOf(html)).text).toMatch(/## Next steps\n\n- \[Install\].*\n- \[Configure\]/);
  });

  it('is a short article, not the longer consent beside it, with a warning', async () => {
    const consent = `I agree that the association sends me information about its work by e-mail, and that I can withdraw this consent at any time, without giving reasons. `;
    const html = `<title>Autumn meeting</title><main><article><h1>Autumn meeting</h1><p>The association took part in the meeting of neighbours.</p><p>The week itself is held from 25 September to 2 October.</p></article>
      <section class="newsletter"><h2>News by e-mail</h2><p>${consent.repeat(3)}</p><p>${consent.repeat(2)}</p></section></main>`;

    const { text, warnings } = await articleOf(html);

    expect(text).toBe(
      '# Autumn meeting\n\nThe association took part in the meeting of neighbours.\n\nThe week itself is held from 25 September to 2 October.',
    );
    expect(warnings).toBe('main_content_reduced');
  });

  describe('beside cards for other articles', () => {
    const sentence =
      'The mill on the lower river has ground rye for the villages around it since the bridge was built. ';
    const text = (paragraphs: number): string => `<p>${sentence.repeat(4)}</p>`.repeat(paragraphs);
    const teaser = 'What the millers of the valley say about it.';

    it('leaves the cards out, whatever their boxes are', async () => {
      const boxes = [
        ['article', 'div'],
        ['div', 'section'],
        ['li', 'ul'],
      ] as const;
      for (const [tag, around] of boxes) {
        const html = `<body><div><h1>The mill</h1>${text(5)}<${around}>${cards(tag, teaser)}</${around}></div>`;
        const markdown = await articleOf(html);
        expect(markdown.text).not.toContain('Wheels of oak');
        expect(markdown.text.split(sentence.trim())).toHaveLength(21);
      }
    });

    it.each([
      ['a page that is a list of cards', `<h1>News</h1>${text(1)}<div>${cards('div', teaser)}</div>`],
      ['chapters with a link each', `<h1>The mill</h1>${text(5)}<div>${cards('section', sentence.repeat(6))}</div>`],
      [
        'sections with short names and sentences',
        `<h1>The mill</h1>${text(5)}<div>${cards('section', teaser, 3, ['Wheels of oak', 'Rye of a year', 'Long summers'])}</div>`,
      ],
      ['two cards', `<h1>The mill</h1>${text(5)}<div>${cards('div', teaser, 2)}</div>`],
    ])('keeps %s', async (_name, html) => {
      expect((await articleOf(`<body><div>${html}</div>`)).text).toContain('Wheels of oak');
    });
  });

  it('has the times of a transcript with their links', async () => {
    const html = `<title>Talk</title><article><h1>Talk</h1>${['05', '10', '15'].map((time) => turn(time, PARAGRAPH)).join('')}</article>`;

    expect((await articleOf(html)).text).toContain(`**Ann** [(00:00:10)](https://v.test/?t=10) ${PARAGRAPH}`);
  });
});

const dataSchema = z.object({ metadata: z.record(z.string(), z.unknown()) });

describe('metadata', () => {
  it.each([
    [
      '<meta name="author" content="Ann"><meta property="article:published_time" content="2026-05-04T10:00:00+02:00"><meta property="article:modified_time" content="2026-05-06">',
      ['Ann', '2026-05-04T10:00:00+02:00', '2026-05-06'],
    ],
    [
      '<script type="application/ld+json">{"@graph":[{"@type":"Article","author":[{"name":"Ann"},{"name":"Bo"}],"datePublished":"2026-05-04","dateModified":"2026-05-05"}]}</script>',
      ['Ann, Bo', '2026-05-04', '2026-05-05'],
    ],
    [
      '<script type="application/ld+json">no JSON</script><article><a rel="author">Ann</a> <time datetime="2026-05-04">4 May</time></article>',
      ['Ann', '2026-05-04', null],
    ],
    ['<p>Text', [null, null, null]],
  ])('tells who wrote a page, and when: %s', async (html_content, expected) => {
    const fields = { html_content, format: 'markdown', response_type: 'json', include: ['metadata'] };
    const { body } = await capture(service.url, fields);
    const { author, published, modified } = dataSchema.parse(JSON.parse(body.toString())).metadata;

    expect([author, published, modified]).toEqual(expected);
  });
});
