import { page, sendHtml, toDocument, type Exchange, type Routes } from './exchange.ts';

/** Expression for any global scope. `own` is the result of formatting in its default language, or the error. */
const SEEN = `(() => {
  let own;
  try { own = new Date(0).toLocaleDateString(navigator.language); } catch (error) { own = String(error); }
  const { locale, timeZone } = Intl.DateTimeFormat().resolvedOptions();
  return { language: navigator.language, languages: navigator.languages, locale, timeZone, number: (1234.5).toLocaleString(), own };
})()`;

/**
 * The reporting scopes by name. `<pre id="seen">` contains all reports as JSON, and `<body class="reported">` marks the
 * end.
 */
export const LOCALE_PAGE = {
  scopes: ['page', 'frame', 'cross', 'worker', 'nested', 'crossWorker', 'shared'],
  requests: [
    '/locale',
    '/locale/fetched?page',
    '/locale/frame',
    '/locale/cross',
    '/locale/fetched?worker',
    '/locale/fetched?nested',
    '/locale/fetched?crossWorker',
    '/locale/fetched?shared',
  ],
} as const;

/**
 * `/locale`: a page with same-site and cross-site frames and workers. Each of them reads its language and sends a
 * request.
 */
export function localeRoutes(): Routes {
  return {
    '/locale': ({ response, crossSiteOrigin }: Exchange) => {
      sendHtml(
        response,
        toDocument({
          body: `<pre id="seen"></pre><iframe id="same"></iframe><iframe id="other"></iframe><script>
  const reported = {};
  const report = (name, value) => {
    reported[name] = value;
    seen.textContent = JSON.stringify(reported);
    if (Object.keys(reported).length === ${LOCALE_PAGE.scopes.length}) document.body.className = 'reported';
  };
  onmessage = ({ data }) => Object.entries(data).forEach((entry) => report(...entry));
  fetch('/locale/fetched?page').then(() => report('page', ${SEEN}));
  ${workerText('worker')}
  const shared = new SharedWorker('/locale/shared.js');
  shared.port.onmessage = ({ data }) => report('shared', data);
  same.src = '/locale/frame';
  other.src = '${crossSiteOrigin}/locale/cross';
</script>`,
        }),
      );
    },
    '/locale/frame': page({ body: `<script>parent.postMessage({ frame: ${SEEN} }, '*')</script>` }),
    '/locale/cross': page({
      body: `<script>
  const report = (name, value) => parent.postMessage({ [name]: value }, '*');
  report('cross', ${SEEN});
  ${workerText('crossWorker')}
</script>`,
    }),
    '/locale/worker.js': ({ response, url }: Exchange) => {
      const name = url.search.slice(1);
      const nested = `new Worker('/locale/worker.js?nested').onmessage = ({ data }) => postMessage(data);`;
      sendScript(
        response,
        `fetch('/locale/fetched?${name}').then(() => postMessage({ ${name}: ${SEEN} }));
${name === 'worker' ? nested : ''}`,
      );
    },
    '/locale/shared.js': ({ response }: Exchange) => {
      sendScript(
        response,
        `onconnect = ({ ports: [port] }) => fetch('/locale/fetched?shared').then(() => port.postMessage(${SEEN}));`,
      );
    },
    '/locale/fetched': ({ response }: Exchange) => void response.end('fetched'),
  };
}

function sendScript(response: Exchange['response'], text: string): void {
  response.setHeader('content-type', 'text/javascript');
  response.end(text);
}

/** Forwards the report of a worker. */
function workerText(name: string): string {
  return `new Worker('/locale/worker.js?${name}').onmessage = ({ data }) => Object.entries(data).forEach((entry) => report(...entry));`;
}
