import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type SharedService, sharedService } from '../../support/shared-service.ts';

type Fields = Readonly<Record<string, unknown>>;

let service: SharedService;
beforeAll(async () => {
  service = await sharedService();
});

const answer = z.object({
  changed: z.boolean(),
  warnings: z.array(z.string()).default([]),
  regions: z.array(z.object({ x: z.number(), y: z.number(), width: z.number(), height: z.number() })),
});

/** Two boxes that touch: `.ignored`, and one at its right. */
const BOXES =
  '<style>.pair{width:120px;height:20px;display:flex;margin:0}.pair>*{width:60px;height:20px;background:var(--c)}</style><div class="pair"><i class="ignored" style="--c:FIRST"></i><b style="--c:SECOND"></b></div>';
const painted = (markup: string, first: string, second: string): string =>
  markup.replaceAll('FIRST', first).replaceAll('SECOND', second);

async function compare(before: object, after: object, more: Fields = {}): Promise<z.output<typeof answer>> {
  const response = await fetch(`${service.url}/compare`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ before, after, ignore: [{ selector: '.ignored' }], ...more }),
  });
  return answer.parse(await response.json());
}

const script = (body: string): string => `<script>${body}</script>`;
const inShadow = script(
  `document.body.append(document.createElement('div')); document.body.lastChild.attachShadow({ mode: 'open' }).innerHTML = \`${BOXES}\``,
);

type Kind = readonly [name: string, markup: string, fields: Fields, scale?: number];
const KINDS: readonly Kind[] = [
  ['a plain page', `<p>Text</p>${BOXES}`, {}],
  ['a phone without viewport', `<p>Text</p>${BOXES}`, { is_mobile: true, window_width: 490 }, 0.5],
  ['a whole page of a phone', `<p>Text</p>${BOXES}`, { is_mobile: true, window_width: 490, full_page: true }, 0.5],
  ['a density of 3', `<p>Text</p>${BOXES}`, { pixel_density: 3 }, 3],
  [
    'a page from right to left that is wider than its window',
    `<html dir="rtl"><div style="width:1500px">Text</div>${BOXES}`,
    { full_page: true },
  ],
  ['a padded element at the edge', `<main>${BOXES}</main>`, { selector: 'main', selector_padding: 100 }],
  [
    'a cut element',
    `<div style="overflow:hidden;width:200px;height:90px"><main style="margin-left:-9px">${BOXES}</main></div>`,
    { selector: 'main' },
  ],
  ['a frame', `<p>Text</p><iframe style="margin:7px;border:3px solid;padding:5px" srcdoc='${BOXES}'></iframe>`, {}],
  ['a shadow tree', `<p>Text</p>${inShadow}`, {}],
  [
    'a fixed box',
    `<div style="position:fixed;right:9px;bottom:9px">${BOXES}</div><p style="height:3000px">`,
    { full_page: true },
  ],
  [
    'a fixed box of a scrolled page in a clip',
    `<div style="position:fixed;left:40px;top:40px">${BOXES}</div><p style="height:3000px">${script('scrollTo(0, 500)')}`,
    { clip: { x: 0, y: 0, width: 400, height: 300 } },
  ],
  [
    'a scrolled window',
    `<p style="height:900px">a</p>${BOXES}<p style="height:900px">${script('scrollTo(0, 700)')}`,
    {},
  ],
  [
    'a sticky box',
    `<p>Text</p><div style="position:sticky;top:0">${BOXES}</div><p style="height:3000px">`,
    { full_page: true },
  ],
  ['a moved box', `<div style="transform:translate(33px, 44px)">${BOXES}</div>`, {}],
  ['a scaled box', `<div style="transform:scale(2);transform-origin:0 0">${BOXES}</div>`, {}, 2],
  [
    'a scrolled box',
    `<div id="s" style="height:200px;overflow:auto"><p style="height:300px"></p>${BOXES}<p style="height:300px"></div>${script('s.scrollTop = 200')}`,
    {},
  ],
  ['a zoomed page', `<style>html{zoom:1.5}</style><p>Text</p>${BOXES}`, {}, 1.5],
  [
    'all matches of a selector',
    `<p>Text</p><main>a</main><br>${BOXES.replace('"pair"', '"pair all"')}`,
    { selector: 'main, .all', selector_all: true },
  ],
];

const dated = (text: string): string => `<p><span class="ignored">${text}</span></p><p>below</p>`;
const page = (text: string): object => ({
  capture: { html_content: dated(text), window_width: 400, window_height: 200 },
});

const moving = (text: string): object => page(`<marquee class="ignored">${text}</marquee><progress></progress>`);

describe.concurrent('ignored places of a comparison', () => {
  it.each(KINDS.map((kind) => [kind[0], kind] as const))(
    'are exact on %s',
    async (_name, [, markup, fields, scale = 1]) => {
      const side = (first: string, second: string) => ({
        capture: {
          html_content: `<!doctype html>${painted(markup, first, second)}`,
          window_width: 600,
          window_height: 400,
          ...fields,
        },
      });

      const [equal, changed] = await Promise.all([
        compare(side('red', 'green'), side('blue', 'green')),
        compare(side('red', 'green'), side('blue', 'orange')),
      ]);

      expect(equal).toMatchObject({ changed: false, warnings: [] });
      const [{ width, height } = { width: 0, height: 0 }, ...others] = changed.regions;
      expect(others).toEqual([]);
      expect(Math.abs(width - 60 * scale)).toBeLessThanOrEqual(1.5);
      expect(Math.abs(height - 20 * scale)).toBeLessThanOrEqual(1.5);
    },
  );

  it.each([
    ['is cut by a scroll box', '<div style="overflow:auto;height:40px"><p style="height:60px"></p>IGNORED</div>OTHER'],
    ['is cut by a frame', `<iframe style="display:block;height:40px;border:0" srcdoc='IGNORED'></iframe>OTHER`],
    ['is invisible', '<div style="visibility:hidden;position:absolute">IGNORED</div>OTHER'],
    ['is transparent', '<div style="opacity:0;position:absolute">IGNORED</div>OTHER'],
    [
      'has lines of other lengths',
      '<p style="width:60px">OTHER <span class="ignored">several words in lines</span></p>',
    ],
  ])('cover nothing beside an element that %s', async (_how, markup) => {
    const side = (other: string): object => ({
      capture: {
        html_content: `<!doctype html>${markup
          .replace('IGNORED', '<p class="ignored" style="height:200px;margin:0;background:gray"></p>')
          .replace('OTHER', other)}`,
        window_width: 300,
        window_height: 200,
      },
    });

    expect(await compare(side('10 EUR'), side('19 EUR'))).toMatchObject({ changed: true, warnings: [] });
  });

  it.each([
    ['without a box', '<p class="ignored" style="display:contents"><b>TEXT</b></p>'],
    ['without a box, with a text', '<span class="ignored" style="display:contents">TEXT</span>'],
    ['without a height', '<div class="ignored" style="height:0"><b style="position:relative;left:99px">TEXT</b></div>'],
    [
      'with a picture that is higher than its line',
      '<a class="ignored"><i><svg height="90"><text y="20">TEXT</svg></i></a>',
    ],
    ['in the top layer', '<dialog id="d" class="ignored">TEXT</dialog><script>d.showModal()</script>'],
  ])('cover all of an element %s', async (_what, markup) => {
    const side = (text: string): object => ({
      capture: {
        html_content: `<!doctype html>${markup.replace('TEXT', text)}<p>Below`,
        window_width: 300,
        window_height: 200,
      },
    });

    expect(await compare(side('10:01'), side('10:09'))).toMatchObject({ changed: false, warnings: [] });
    expect(await compare(side('10:01'), side('10:09'), { ignore: [] })).toMatchObject({ changed: true });
  });

  it('are those of both sides, where an ignored text becomes longer', async () => {
    expect(await compare(page('9 hours ago'), page('10 hours and 30 minutes ago'))).toMatchObject({ changed: false });
    expect(await compare(page('soon'), page(`in a ${'very '.repeat(40)}long time`))).toMatchObject({ changed: false });
  });

  it('are found in what the browser moves itself', async () => {
    const both = await Promise.all([1, 2].map(() => compare(moving('Some news'), moving('Some news'))));

    expect(both.map(({ changed }) => changed)).toEqual([false, false]);
    expect(await compare(moving('Some news'), moving('Other news'))).toMatchObject({ changed: false, warnings: [] });
  });

  it('hold for a picture, too', async () => {
    const size = { window_width: 300, window_height: 100 };
    const picture = await fetch(`${service.url}/capture`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ html_content: dated('one'), ...size }),
    });
    const base64 = Buffer.from(await picture.arrayBuffer()).toString('base64');

    expect(await compare({ base64 }, { capture: { html_content: dated('two'), ...size } })).toMatchObject({
      changed: false,
    });
  });

  it('are named if there are none', async () => {
    const empty = { capture: { html_content: '<p>x', window_width: 100, window_height: 100 } };

    expect(await compare(empty, empty)).toMatchObject({ changed: false, warnings: ['ignore_not_found'] });
  });
});
