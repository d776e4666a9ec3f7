import { toCss } from '../../support/colour.ts';
import { boxMarkup } from '../../support/pages/box.ts';
import { page, send, type Route, type Routes } from '../../support/pages/exchange.ts';
import { acceptSocket } from './accept-socket.ts';
import { READY_BOX, UNREADY_BOX } from './readiness.ts';

const LATE_MS = 300;
const JOB_STEPS = 5;

const BLOB_WORKER = (script: string): string =>
  `new Worker(URL.createObjectURL(new Blob([${JSON.stringify(script)}], { type: 'text/javascript' })))`;

/** Pages with pending work other than requests of their own: `READY_BOX` is red until it is done. */
export function pendingRoutes(): Routes {
  const jobs = new Map<string, number>();
  return {
    '/fidelity/service-worker-ready': workPage(`
  navigator.serviceWorker.register('/fidelity/service-worker.js');
  navigator.serviceWorker.ready.then(done);`),
    '/fidelity/service-worker-message': workPage(`
  const { serviceWorker } = navigator;
  serviceWorker.addEventListener('controllerchange', () => serviceWorker.controller.postMessage('colour'));
  serviceWorker.addEventListener('message', done);
  addEventListener('load', () => serviceWorker.register('/fidelity/service-worker.js'));`),
    '/fidelity/service-worker.js': script(`
  addEventListener('install', (event) => {
    skipWaiting();
    event.waitUntil(caches.open('files').then((cache) => cache.add('/answer-after?ms=${LATE_MS}')));
  });
  addEventListener('activate', (event) => event.waitUntil(clients.claim()));
  addEventListener('message', (event) => {
    const answer = fetch('/answer-after?ms=${LATE_MS}').then(() => event.source.postMessage('green'));
    event.waitUntil(answer);
  });`),
    '/fidelity/blob-worker': workPage(`
  ${BLOB_WORKER(`const until = Date.now() + ${LATE_MS}; while (Date.now() < until); postMessage('done');`)}.onmessage = done;`),
    '/fidelity/blob-worker-fetch': workPage(`
  const worker = ${BLOB_WORKER(`onmessage = ({ data }) => fetch(data).then(() => postMessage('done'));`)};
  worker.onmessage = done;
  worker.postMessage(new URL('/answer-after?ms=${LATE_MS}', location).href);`),
    '/fidelity/blob-worker-late': workPage(`
  addEventListener('load', () => setTimeout(() => {
    const worker = ${BLOB_WORKER(`setTimeout(() => postMessage('done'), ${LATE_MS});`)};
    worker.onmessage = done;
  }, 200));`),
    '/fidelity/polled-job': workPage(`
  const job = crypto.randomUUID();
  const look = async () => {
    const { step } = await (await fetch('/fidelity/job/' + job)).json();
    if (step >= ${JOB_STEPS}) done();
    else setTimeout(look, 300);
  };
  look();`),
    '/fidelity/job/*': ({ response, rest }) => {
      const step = (jobs.get(rest) ?? 0) + 1;
      jobs.set(rest, step);
      setTimeout(() => send(response, { type: 'application/json', body: JSON.stringify({ step }) }), 120).unref();
    },
    '/fidelity/timer-chain': workPage(`
  const next = async (step) => {
    await fetch('/answer-after?ms=120&step=' + step);
    if (step === ${JOB_STEPS}) done();
    else setTimeout(next, 300, step + 1);
  };
  next(1);`),
    '/fidelity/first-event': workPage(`
  const events = new EventSource('/fidelity/late-events');
  events.onmessage = () => fetch('/answer-after?ms=100').then(done);`),
    '/fidelity/late-events': ({ response }) => {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
      response.write(': open\n\n');
      setTimeout(() => response.write('data: first\n\n'), LATE_MS).unref();
    },
    '/fidelity/first-frame': workPage(`
  const socket = new WebSocket('ws://' + location.host + '/fidelity/late-socket');
  socket.onmessage = () => setTimeout(done, 200);`),
    '/fidelity/late-socket': ({ request }) => {
      acceptSocket(request);
      const text = Buffer.from('first');
      const frame = Buffer.concat([Buffer.from([0x81, text.length]), text]); // RFC 6455, 5.2: a whole message of text
      setTimeout(() => request.socket.write(frame), LATE_MS).unref();
    },
  };
}

function workPage(work: string): Route {
  return page({
    body: `${boxMarkup(UNREADY_BOX, 'id="box"')}<script>
  const done = () => { box.style.background = '${toCss(READY_BOX.colour)}'; };
  ${work}
</script>`,
  });
}

function script(body: string): Route {
  return ({ response }) => send(response, { type: 'text/javascript', body });
}
