import { beforeAll, describe, expect, it } from 'vitest';
import { invalid, readError } from '../../support/errors.ts';
import { capture } from '../../support/http.ts';
import { type SharedService, sharedService } from '../../support/shared-service.ts';

let service: SharedService;
beforeAll(async () => {
  service = await sharedService();
});

const BASE = 'http://127.0.0.1:9/shop/tea';

async function valuesOf(body: string, extract: object, fields: object = {}): Promise<Record<string, unknown>> {
  const html_content = `<!doctype html><html lang="en"><title>Shop</title><body>${body}`;
  const answer = await capture(service.url, {
    html_content,
    base_url: BASE,
    format: 'html',
    response_type: 'json',
    extract,
    ...fields,
  });
  expect([answer.status, answer.status === 200 ? '' : answer.body.toString()]).toEqual([200, '']);
  return Object(answer.json()).extract;
}

const PRICES: readonly ((price: number) => string)[] = [
  (price) => `$${price.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`,
  (price) => `${price.toLocaleString('de-DE', { minimumFractionDigits: 2, maximumFractionDigits: 2 })} €`,
  (price) => `${price.toLocaleString('fr-FR', { minimumFractionDigits: 2, maximumFractionDigits: 2 })}&nbsp;EUR`,
  (price) => `CHF ${price.toLocaleString('de-CH', { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`,
  (price) =>
    `<span style="position:absolute;left:-9999px">Price:</span> <b>${Math.trunc(price)}</b>.${price.toFixed(2).slice(-2)}`,
  (price) => `<s hidden>${price + 5}</s>${price.toFixed(2)} per piece`,
];

/** A product or an article in one of many forms, and what a person reads in it. */
function product(index: number): { readonly markup: string; readonly values: object } {
  const price = Math.round(((index * 7_919) % 1_000_000) + index * 3.7 * 100) / 100;
  const words = ['Tea', 'Kettle & Co', 'Größe <XL>', '東京', 'A "quoted" one'];
  const name = `${words[index % words.length] ?? ''} ${index}`;
  const escaped = name.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  const tags = Array.from({ length: index % 4 }, (_, each) => `tag ${each}`);
  const heading = index % 2 === 0 ? `<h2 class="name">\n  ${escaped}\n</h2>` : `<b class="name"><i>${escaped}</i></b>`;
  const there = index % 3 === 0 ? '' : `<i data-there="${index % 3 === 1}"></i>`;
  return {
    markup: `<article>${heading}<p class="price">${PRICES[index % PRICES.length]?.(price) ?? ''}</p>${there}<a href="item/${index}?a=1&amp;b">more</a><ul class="tags">${tags.map((tag) => `<li> ${tag} `).join('')}</ul>${index % 5 === 0 ? '' : `<meter value="${index / 1_000}"></meter>`}<div class="text"><p>First   line</p><p>of ${index}<br>lines</div></article>`,
    values: {
      name,
      price: Math.round(price * 100) / 100,
      link: `http://127.0.0.1:9/shop/item/${index}?a=1&b`,
      isThere: index % 3 === 0 ? null : index % 3 === 1,
      tags,
      rating: index % 5 === 0 ? null : index / 1_000,
      text: `First line\nof ${index}\nlines`,
    },
  };
}

describe.concurrent('extract', () => {
  it.each<[string, string, unknown]>([
    ['a text on one line', '<p id="x">  Ada\n  <b>Lovelace</b> </p>', 'Ada Lovelace'],
    ['lines of the page', '<div id="x">one<br>two<p>three</p><p>four</p></div>', 'one\ntwo\nthree\nfour'],
    ['cells', '<table id="x"><tr><td>a<td>b<tr><td>c</table>', 'a b\nc'],
    ['text in capitals by its style', '<p id="x" style="text-transform:uppercase">ada</p>', 'ADA'],
    ['no text for screen readers', '<p id="x"><span style="position:absolute;left:-9999px">Price</span>9</p>', '9'],
    [
      'no text cut to a pixel',
      '<p id="x"><span style="position:absolute;width:1px;height:1px;overflow:hidden">Price</span>9</p>',
      '9',
    ],
    ['no hidden parts', '<p id="x">a<span hidden>b</span><span style="visibility:hidden">c</span></p>', 'a'],
    [
      'what a hidden element shows',
      '<p id="x" style="visibility:hidden">a<b style="visibility:visible">b</b></p>',
      'b',
    ],
    ['nothing of a hidden element', '<p id="x" style="display:none">secret</p>', null],
    ['the value of a field', '<input id="x" value="Bob">', 'Bob'],
    ['no password', '<input id="x" type="password" value="secret">', null],
    ['what a list shows', '<select id="x"><option>a<option selected>b</select>', 'b'],
    [
      'text in a shadow tree',
      '<div id="h"></div><script>h.attachShadow({ mode: "open" }).innerHTML = "<p id=x>in</p>"</script>',
      'in',
    ],
    ['text in a frame', '<iframe srcdoc="<p id=x>framed"></iframe>', 'framed'],
    [
      'what a slot shows',
      '<div id="x"><b>a</b></div><script>x.attachShadow({ mode: "open" }).innerHTML = "(<slot></slot>)"</script>',
      '(a)',
    ],
    ['no scripts and styles', '<div id="x">a<script>1</script><style>p{}</style></div>', 'a'],
    ['nothing where nothing matches', '', null],
  ])('reads %s', async (_title, body, expected) => {
    expect(await valuesOf(body, { x: '#x' })).toEqual({ x: expected });
  });

  it.each([
    ['1.234,56 €', 1234.56],
    ['$1,234.56', 1234.56],
    ['1 234 567,8', 1_234_567.8],
    ['1\u00A0234', 1234],
    ["CHF 1'234.50", 1234.5],
    ['1,234', 1234],
    ['1.234', 1.234],
    ['1.234.567', 1_234_567],
    ['12,5 %', 12.5],
    ['\u221212.5', -12.5],
    ['-$5.00', -5],
    ['10-20', 10],
    ['In stock: 7 left', 7],
    ['٣٫٥', 3.5],
    ['4,5 2024', 4.5],
    ['0,125', 0.125],
    ['free', null],
    ['<span>68</span><sup>50</sup>', 68.5],
    ['$<b>12</b><sup>99</sup>', 12.99],
    ['<span style="display:flex"><b>7</b><i style="font-size:8px;align-self:start">05</i></span>', 7.05],
    ['68<span style="position:absolute;left:-9999px">.</span><sup>50</sup>', 68.5],
    ['68 m<sup>2</sup>', 68],
    ['499<sup>1</sup> €', 499],
    ['4,500<sup>1</sup>', 4500],
    ['12.50<sup>22</sup>', 12.5],
    ['12.<sup>99</sup>', 12.99],
    ['<button>1</button><button>2</button>', 1],
    ['<input value="3"><input value="4">', 3],
    ['<span>PlayStation 5</span> <span>499 €</span>', 499],
    ['<span style="margin-right:2em">5</span><span>300 €</span>', 300],
    ['<table><tr><td>1<td>234</table>', 1],
    ['<p>1</p><p>234</p>', 1],
  ])('reads %s as a number', async (text, expected) => {
    expect(await valuesOf(`<div id="x">${text}</div>`, { x: { selector: '#x', type: 'number' } })).toEqual({
      x: expected,
    });
  });

  it('reads numbers in the language of the page', async () => {
    const x = { selector: '#x', type: 'number' };

    expect(await valuesOf('<p lang="de" id="x">1.234</p>', { x })).toEqual({ x: 1234 });
    expect(await valuesOf('<p lang="de" id="x">1,234</p>', { x })).toEqual({ x: 1.234 });
  });

  it('reads attributes, properties, addresses, markup and yes or no', async () => {
    const body =
      '<a id="a" href="../sale?x=1&amp;y">Sale</a><img id="i" src="tea.png" alt="Tea"><input id="c" type="checkbox" checked><form id="f" action="/order"><input name="action"></form><b id="b">no</b><p id="d" aria-expanded="false">d</p>';

    expect(
      await valuesOf(body, {
        href: { selector: '#a', attribute: 'href' },
        url: { selector: '#a', type: 'url' },
        src: { selector: '#i', type: 'url' },
        alt: { selector: '#i', attribute: 'alt' },
        checked: { selector: '#c', property: 'checked' },
        has: { selector: '#c', attribute: 'checked', type: 'boolean' },
        lacks: { selector: '#c', attribute: 'disabled', type: 'boolean' },
        expanded: { selector: '#d', attribute: 'aria-expanded', type: 'boolean' },
        yes: { selector: '#b', type: 'boolean' },
        action: { selector: '#f', property: 'action' },
        html: { selector: '#b', type: 'html' },
        title: 'title',
        none: { selector: '#b', attribute: 'title' },
      }),
    ).toEqual({
      href: 'http://127.0.0.1:9/sale?x=1&y',
      url: 'http://127.0.0.1:9/sale?x=1&y',
      src: 'http://127.0.0.1:9/shop/tea.png',
      alt: 'Tea',
      checked: true,
      has: true,
      lacks: false,
      expanded: false,
      yes: false,
      action: 'http://127.0.0.1:9/order',
      html: '<b id="b">no</b>',
      title: 'Shop',
      none: null,
    });
  });

  it('reads lists, and objects inside of their element', async () => {
    const body =
      '<ul><li data-id="1"><b>Tea</b><i>3,50</i><a href="t">t</a><u>x</u><u>y</u><li data-id="2"><b>Milk</b></ul>';

    expect(
      await valuesOf(body, {
        names: { selector: 'li b', all: true },
        none: { selector: 'h6', all: true },
        first: { selector: 'li', fields: { name: 'b' } },
        items: {
          selector: 'li',
          all: true,
          fields: {
            id: { selector: ':scope', attribute: 'data-id', type: 'number' },
            name: 'b',
            price: { selector: 'i', type: 'number' },
            link: { selector: 'a', type: 'url' },
            marks: { selector: 'u', all: true, fields: { text: ':scope' } },
          },
        },
      }),
    ).toEqual({
      names: ['Tea', 'Milk'],
      none: [],
      first: { name: 'Tea' },
      items: [
        { id: 1, name: 'Tea', price: 3.5, link: 'http://127.0.0.1:9/shop/t', marks: [{ text: 'x' }, { text: 'y' }] },
        { id: 2, name: 'Milk', price: null, link: null, marks: [] },
      ],
    });
  });

  it('reads 200 products and articles as they were written', async () => {
    const pages = Array.from({ length: 10 }, (_, page) =>
      Array.from({ length: 20 }, (_each, index) => product(20 * page + index)),
    );
    for (const products of pages) {
      const body = products.map(({ markup }) => markup).join('');
      const fields = {
        name: '.name',
        price: { selector: '.price', type: 'number' },
        link: { selector: 'a', type: 'url' },
        isThere: { selector: '[data-there]', attribute: 'data-there', type: 'boolean' },
        tags: { selector: '.tags li', all: true },
        rating: { selector: 'meter', property: 'value' },
        text: '.text',
      };
      const { all } = await valuesOf(body, { all: { selector: 'article', all: true, fields } });

      expect(all).toEqual(products.map(({ values }) => values));
    }
  });

  it('cuts what is too much, and says so', async () => {
    const body = '<script>document.body.innerHTML = "<i>a</i>".repeat(60000)</script>';
    const { all, truncated } = await valuesOf(body, { all: { selector: 'i', all: true } });

    expect([Object(all).length, truncated]).toEqual([50_000, true]);
  });

  it.each<[object, string]>([
    [{ extract: 'h1' }, 'extract: must be an object with selectors by name'],
    [{ extract: {} }, 'extract: must have 1 to 100 names in all, each of 1 to 100 characters'],
    [{ extract: { a: 1 } }, 'extract.a: must be a CSS selector, or an object with selector'],
    [{ extract: { a: '>>' } }, 'extract.a: must be a valid CSS selector'],
    [{ extract: { a: { selector: 'b', fields: { c: '[' } } } }, 'extract.a.fields.c: must be a valid CSS selector'],
    [{ extract: { a: { attribute: 'b' } } }, 'extract.a: selector must be a CSS selector of 1 to 1024 characters'],
    [
      { extract: { a: { selector: 'b', type: 'date' } } },
      'extract.a: type must be one of text, number, boolean, url, html',
    ],
    [
      { extract: { a: { selector: 'b', attribute: 'c', property: 'd' } } },
      'extract.a: must have either attribute or property',
    ],
    [
      { extract: { a: { selector: 'b', fields: { c: 'd' }, type: 'text' } } },
      'extract.a: must not have fields beside attribute, property or type',
    ],
    [{ extract: { a: 'b' }, response_type: 'file' }, 'extract: needs response_type to be json'],
    [{ include: ['extract'] }, 'include: extract needs the field extract'],
  ])('refuses %j', async (fields, details) => {
    const answer = await capture(service.url, { html_content: 'a', response_type: 'json', ...fields });

    expect(readError(answer)).toEqual(invalid(details));
  });
});

it('extract and selector_all come by a query, too', async () => {
  const query = new URLSearchParams({
    html_content: '<p>a</p><p>b</p>',
    response_type: 'json',
    selector: 'p',
    selector_all: 'true',
    extract: '{"texts": {"selector": "p", "all": true}}',
  });
  const answer = await fetch(`${service.url}/capture?${query.toString()}`);

  expect(await answer.json()).toMatchObject({ extract: { texts: ['a', 'b'] }, file: { content_type: 'image/png' } });
});
