import { text } from 'node:stream/consumers';
import { page, type Routes, sendHtml, toDocument } from './exchange.ts';

/**
 * Pages for actions. `/acting/login` has a form (`#user`, `#pass`, `#go`) that is submitted to `/acting/session`. That
 * page sets a cookie and redirects to `/acting/account`, which shows the form values and the cookie. `/acting/leave`
 * has a link for each way to navigate away.
 */
export function actingRoutes(): Routes {
  let sent = '';
  return {
    '/acting/login': page({
      body: `<form method="post" action="/acting/session">
  <input name="user" id="user"><input name="pass" id="pass" type="password"><button id="go">Log in</button>
</form>`,
    }),
    '/acting/session': async ({ request, response }) => {
      sent = await text(request);
      response.writeHead(303, { location: '/acting/account', 'set-cookie': 'session=abc; Path=/; HttpOnly' }).end();
    },
    '/acting/account': ({ request, response }) => {
      sendHtml(
        response,
        toDocument({ body: `<p id="sent">${sent}</p><p id="cookie">${request.headers.cookie ?? ''}</p>` }),
      );
    },
    '/acting/leave': ({ response, url, crossSiteOrigin }) => {
      const slow = `setTimeout(() => { location.href = '/acting/there'; }, 300)`;
      const links = `
  <a id="link" href="/acting/there">link</a>
  <a id="slow" href="/slow?ms=300">slow</a>
  <a id="other" href="${crossSiteOrigin}/acting/there">other</a>
  <a id="tab" href="/acting/there?tab" target="_blank">tab</a>
  <a id="file" href="/acting/file" download>file</a>
  <a id="served" href="/acting/file">served</a>
  <a id="empty" href="/acting/nothing">empty</a>
  <a id="mail" href="mailto:reader@example.com">mail</a>
  <a id="data" href="data:text/html,hello">data</a>
  <a id="script" href="javascript:void(document.title = 'script')">script</a>
  <a id="hash" href="#there">hash</a>
  <a id="missing" href="/acting/missing">missing</a>
  <a id="to" href="${url.searchParams.get('to') ?? ''}">to</a>
  <button id="timer" onclick="${slow}">timer</button>
  <button id="state" onclick="history.pushState({}, '', '/acting/state'); document.title = 'state'">state</button>
  <button id="window" onclick="window.open('/acting/there?window')">window</button>
  <button id="dialog" onclick="alert(1); confirm(2); prompt(3); document.title = 'answered'">dialog</button>
  <button id="print" onclick="print(); document.title = 'printed'">print</button>
  <button id="choose" onclick="const input = document.createElement('input'); input.type = 'file'; input.onchange = () => { document.title = 'chosen' }; input.oncancel = () => { document.title = 'cancelled' }; input.click()">choose</button>`;
      sendHtml(response, toDocument({ body: links }));
    },
    '/acting/there': page({ body: '<h1>There</h1><a id="back" href="/acting/leave">back</a>' }),
    '/acting/file': ({ response }) => {
      response
        .writeHead(200, {
          'content-type': 'application/zip',
          'content-disposition': 'attachment; filename=a.zip',
        })
        .end('PK');
    },
    '/acting/nothing': ({ response }) => {
      response.writeHead(204).end();
    },
    '/acting/missing': ({ response }) => {
      sendHtml(response, toDocument({ body: '<h1>Missing</h1>' }), 404);
    },
    '/acting/state': page({ body: 'never requested' }),
  };
}
