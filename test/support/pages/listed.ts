import { COLOUR, pictureOf } from '../colour.ts';
import { boxMarkup } from './box.ts';
import { page, send, sendHtml, toDocument, type Routes } from './exchange.ts';

const BOX = { y: 0, width: 50, height: 50, colour: COLOUR.red } as const;

/**
 * `/listed`: red boxes side by side that filter lists match: by a class, an id, a link, an attribute; of the same site,
 * of another one, with an exception, and one that appears late. `/listed/late` has the boxes of a shadow tree and of a
 * frame.
 */
export const LISTED_PAGE = {
  class: { ...BOX, x: 0 },
  id: { ...BOX, x: 50 },
  link: { ...BOX, x: 100 },
  attribute: { ...BOX, x: 150 },
  host: { ...BOX, x: 200 },
  otherHost: { ...BOX, x: 250 },
  excepted: { ...BOX, x: 300 },
  plain: { ...BOX, x: 350 },
  late: { ...BOX, x: 400 },
  shadow: { ...BOX, x: 450 },
  styled: { ...BOX, x: 500 },
} as const;

/** Rules for `/listed`. */
export const LISTED_RULES = `! Title: for the tests
##.listed-class
###listed-id
##a[href^="/listed-link"]
##div[data-listed]
##div:wrong(
##[listed
##div::wrong
127.0.0.1##.listed-host
example.com##.listed-other-host
##.listed-excepted
127.0.0.1#@#.listed-excepted
##.listed-late
##div[data-listed-shadow]
127.0.0.1##.listed-styled:style(background: rgb(0, 160, 0) !important)
`;

/** Pages that filter lists match. */
export function listedRoutes(): Routes {
  const { class: ofClass, id, link, attribute, host, otherHost, excepted, plain, late, shadow, styled } = LISTED_PAGE;
  return {
    '/listed': page({
      body: [
        boxMarkup(ofClass, 'class="listed-class"'),
        boxMarkup(id, 'id="listed-id"'),
        boxMarkup(link, 'href="/listed-link/1"').replace(/div/g, 'a'),
        boxMarkup(attribute, 'data-listed'),
        boxMarkup(host, 'class="listed-host"'),
        boxMarkup(otherHost, 'class="listed-other-host"'),
        boxMarkup(excepted, 'class="listed-excepted"'),
        boxMarkup(plain, 'class="unlisted"'),
        boxMarkup(styled, 'class="listed-styled"'),
        '<div id="place"></div>',
        `<script>
addEventListener('load', () => setTimeout(() => {
  document.body.insertAdjacentHTML('beforeend', ${JSON.stringify(boxMarkup(late, 'class="listed-late" id="late"'))});
  document.getElementById('place').attachShadow({ mode: 'open' }).innerHTML = ${JSON.stringify(boxMarkup(shadow, 'data-listed-shadow'))};
}, 100));
</script>`,
      ].join('\n'),
    }),
    // One request of each kind, to this site and to another one.
    '/listed/requests': ({ response, crossSiteOrigin }) =>
      sendHtml(
        response,
        toDocument({
          head: `<link rel="stylesheet" href="/listed/loaded/sheet.css">`,
          body: `<script src="/listed/loaded/script.js"></script>
<script src="/listed/loaded/kept.js"></script>
<img src="/listed/loaded/picture.png"><img src="${crossSiteOrigin}/listed/loaded/third.png"><img src="/listed/loaded/third.png">
<img src="/rule-of-the-operator.png"><iframe src="/listed/loaded/frame"></iframe><iframe src="${crossSiteOrigin}/listed/frame"></iframe>
<script>
fetch('/listed/loaded/fetch.json').catch(() => undefined);
const request = new XMLHttpRequest();
request.open('GET', '/listed/loaded/xhr.json');
request.send();
</script>`,
        }),
      ),
    '/listed/frame': page({
      body: '<img src="/listed/loaded/third.png?frame"><img src="/listed/loaded/in-frame.png">',
    }),
    '/listed/loaded/*': ({ response, rest, url }) => {
      if (rest === 'frame') return sendHtml(response, toDocument({ body: 'frame' }));
      if (rest.endsWith('.png')) {
        response.writeHead(302, { location: pictureOf(COLOUR.green), 'cache-control': 'no-store' }).end();
        return undefined;
      }
      const type = rest.endsWith('.js') ? 'text/javascript' : rest.endsWith('.css') ? 'text/css' : 'application/json';
      return send(response, { type, body: type === 'application/json' ? JSON.stringify(url.search) : '' });
    },
  };
}
