import { boxMarkup } from './box.ts';
import { COLOUR } from '../colour.ts';
import { page, send, sendHtml, toDocument, type Routes } from './exchange.ts';

/**
 * Credentials that `/protected` expects: a green 200x200 box at (0, 0) with them, a red one with status 401 without.
 */
export const PROTECTED_PAGE = { username: 'reader', password: 'pass:wörd' } as const;

/**
 * - `/mixed`: requests `/own/script.js` and `/own/picture` of its own origin; the picture redirects to the other site.
 * It also requests `/foreign/picture`, `/foreign/protected` and a frame, `/frames/cross`, of the other site.
 * - `/protected`: requires a password.
 */
export function ownOriginRoutes(): Routes {
  const { username, password } = PROTECTED_PAGE;
  const expected = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
  return {
    '/mixed': ({ response, crossSiteOrigin }) =>
      sendHtml(
        response,
        toDocument({
          body: `<script src="/own/script.js"></script>
<img src="/own/picture" alt=""><img src="${crossSiteOrigin}/foreign/picture" alt="">
<img src="${crossSiteOrigin}/foreign/protected" alt=""><iframe src="${crossSiteOrigin}/frames/cross"></iframe>`,
        }),
      ),
    '/own/script.js': ({ response }) => send(response, { type: 'text/javascript', body: '' }),
    '/own/picture': ({ response, crossSiteOrigin }) => {
      response.writeHead(302, { location: `${crossSiteOrigin}/foreign/redirected` }).end();
    },
    '/foreign/*': ({ response, rest }) => {
      const challenge = { 'www-authenticate': 'Basic realm="foreign"' };
      response.writeHead(rest === 'protected' ? 401 : 404, challenge).end();
    },
    '/protected': (exchange) => {
      const isAllowed = exchange.request.headers.authorization === expected;
      if (!isAllowed) {
        exchange.response.writeHead(401, { 'www-authenticate': 'Basic realm="fixture", charset="UTF-8"' }).end();
        return;
      }
      return page({ body: boxMarkup({ x: 0, y: 0, width: 200, height: 200, colour: COLOUR.green }) })(exchange);
    },
  };
}
