import { page, sendHtml, toDocument, type Exchange, type Routes } from './exchange.ts';

/**
 * State that pages can read about the visitor.
 * - `/headers`: the request's headers as JSON, the whole text of `<pre id="headers">`.
 * - `/set-cookie`: leaves a cookie, a localStorage entry and an IndexedDB database behind. `<html data-cookie
 * data-storage data-database>` and the text show for each whether it was `present` or `absent` before.
 * - `/user-agent`: values that scripts read: `<html data-user-agent data-webdriver data-languages data-time-zone>`.
 */
export function stateRoutes(): Routes {
  return {
    '/headers': ({ request, response }) => {
      const text = escapeHtml(JSON.stringify(request.headers, undefined, 2));
      sendHtml(response, toDocument({ body: `<pre id="headers">${text}</pre>` }));
    },
    '/set-cookie': setCookie,
    '/user-agent': page({
      body: `<script>
  const { dataset } = document.documentElement;
  dataset.userAgent = navigator.userAgent;
  dataset.webdriver = navigator.webdriver;
  dataset.languages = navigator.languages.join(',');
  dataset.timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone;
</script>`,
    }),
  };
}

function setCookie({ request, response }: Exchange): void {
  const cookie = request.headers.cookie?.includes('visited=1') === true ? 'present' : 'absent';
  response.setHeader('set-cookie', 'visited=1; Path=/; Max-Age=3600');
  sendHtml(
    response,
    toDocument({
      body: `<p id="seen"></p><script>
  const { dataset } = document.documentElement;
  dataset.cookie = '${cookie}';
  dataset.storage = localStorage.getItem('visited') === '1' ? 'present' : 'absent';
  localStorage.setItem('visited', '1');
  const report = () => {
    seen.textContent = 'cookie ' + dataset.cookie + ', storage ' + dataset.storage + ', database ' + dataset.database;
  };
  const opening = indexedDB.open('visited', 1);
  dataset.database = 'present';
  opening.onupgradeneeded = () => { dataset.database = 'absent'; };
  opening.onsuccess = report;
  report();
</script>`,
    }),
  );
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
