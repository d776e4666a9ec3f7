import { setTimeout as delay } from 'node:timers/promises';
import { COLOUR, toCss } from '../colour.ts';
import { page, send, sendHtml, toDocument, type Route, type Routes } from './exchange.ts';

const RED = toCss(COLOUR.red);
const GREEN = toCss(COLOUR.green);

/** Long enough that no capture succeeds by chance, and within the page time that a capture grants. */
const LATER_MS = 1_800;

/** Delay in real time, for scripts that load late. */
const SLOW_MS = 700;

const DELAY = 'const delay = (ms) => new Promise((resolve) => setTimeout(resolve, ms));';
const DRAW = `const draw = (share) => { document.documentElement.style.background = share >= 1 ? '${GREEN}' : '${RED}'; };`;
const BY_SHARE = `const step = (now) => { const share = (now - start) / ${LATER_MS}; draw(share); if (share < 1) requestAnimationFrame(step); };`;

/** Work that pages do after load, one page each: the viewport is red until it is done, then green. */
export const LATER: Readonly<Record<string, string>> = {
  'a timer': `setTimeout(done, ${LATER_MS});`,
  'an interval': `let left = ${LATER_MS / 20}; setInterval(() => { if (--left === 0) done(); }, 20);`,
  'text that is typed': `const type = (left) => { if (left === 0) done(); else setTimeout(type, 60, left - 1); }; type(${LATER_MS / 60});`,
  'an animation by the time of day': `const start = Date.now(); const step = () => { if (Date.now() - start < ${LATER_MS}) requestAnimationFrame(step); else done(); }; step();`,
  'an animation by the stamps of its frames': `let start; requestAnimationFrame((now) => { start = now; step(now); }); ${BY_SHARE}`,
  'an animation started at one time and drawn by another': `let start; setTimeout(() => { start = performance.now(); requestAnimationFrame(step); }, 300); ${BY_SHARE}`,
  'an animation in small steps': `let last = performance.now(), sum = 0; const step = (now) => { sum += Math.min(now - last, 120); last = now; if (sum < ${LATER_MS}) requestAnimationFrame(step); else done(); }; requestAnimationFrame(step);`,
  'two frames': `requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(done)));`,
  'requests one after the other': `(async () => { for (let k = 0; k < 4; k++) await fetch('/answer-after?ms=80&k=' + k); done(); })();`,
  'a request after a timer': `${DELAY} (async () => { await delay(700); await fetch('/answer-after?ms=150'); await delay(700); done(); })();`,
  'an idle moment': `requestIdleCallback(() => setTimeout(() => requestIdleCallback(done), 500));`,
  'the end of an animation': `const bar = document.body.animate({ opacity: [1, 1] }, 1500); bar.onfinish = () => setTimeout(done, 400);`,
  'a transition of its style': `document.body.style.cssText = 'transition: margin 1s; margin-top: 0'; document.body.offsetTop; document.body.style.marginTop = '9px'; document.body.addEventListener('transitionend', () => setTimeout(done, 300));`,
  'being seen': `new IntersectionObserver((_, observer) => { observer.disconnect(); setTimeout(done, 600); }).observe(document.body);`,
  'a worker': `const worker = new Worker('/later/worker.js'); worker.onmessage = done;`,
  'a worker whose script is slow': `new Worker('/later/slow.js').onmessage = done;`,
  'a worker that is a slow module of two': `new Worker('/later/module.js', { type: 'module' }).onmessage = done;`,
  'a worker made from a blob': `new Worker(URL.createObjectURL(new Blob(['fetch("' + location.origin + '/answer-after?ms=600").then(() => postMessage(1))']))).onmessage = done;`,
  'a worker of a worker': `new Worker('/later/outer.js').onmessage = done;`,
  'a frame of its own': `document.body.innerHTML = '<iframe src="/later/frame"></iframe>'; onmessage = done;`,
};

export function laterPath(what: string): string {
  return `/later/page/${encodeURIComponent(what)}`;
}

/** Work that never completes, in the same form: green at once. */
export const NEVER: Readonly<Record<string, string>> = {
  'a silent worker made from a blob': `done(); new Worker(URL.createObjectURL(new Blob(['1'])));`,
  'a shared worker': `done(); new SharedWorker('/later/interrupted.js');`,
  'a worker that was ended before its script came': `done(); new Worker('/later/slow.js').terminate();`,
  'a worker that was ended within its script': `const worker = new Worker('/later/interrupted.js'); setTimeout(() => { worker.terminate(); done(); }, 1_500);`,
};

/**
 * `/later/page/*`: a page of `LATER` or `NEVER`. `/later/of-another-site`: a full-viewport frame that a timer turns
 * green.
 */
export function laterRoutes(): Routes {
  const type = 'text/javascript';
  return {
    '/later/page/*': ({ rest, response }) => {
      const what = decodeURIComponent(rest);
      sendHtml(response, laterDocument(LATER[what] ?? NEVER[what] ?? ''));
    },
    '/later/frame': page({
      body: `<script>setTimeout(() => parent.postMessage(1, '*'), ${LATER_MS});</script>`,
    }),
    '/later/of-another-site': ofAnotherSite,
    '/later/timer': ({ response }) => sendHtml(response, laterDocument(LATER['a timer'] ?? '')),
    '/later/worker.js': ({ response }) => {
      const body = `fetch('/answer-after?ms=120').then(() => { let sum = 0; for (let k = 0; k < 2e7; k++) sum += k; postMessage(sum); });`;
      send(response, { type, body });
    },
    '/later/slow.js': async ({ response }) => {
      await delay(SLOW_MS);
      send(response, { type, body: 'postMessage(1);' });
    },
    // Sends only the beginning.
    '/later/interrupted.js': ({ response }) => void response.writeHead(200, { 'content-type': type }).write(' '),
    '/later/module.js': ({ response }) => send(response, { type, body: `import './slow.js';` }),
    '/later/outer.js': ({ response }) => {
      send(response, { type, body: `new Worker('/later/slow.js').onmessage = () => postMessage(1);` });
    },
  };
}

const ofAnotherSite: Route = ({ response, crossSiteOrigin }) => {
  const frame = `<iframe src="${crossSiteOrigin}/later/timer" style="position:fixed;inset:0;width:100%;height:100%;border:0"></iframe>`;
  sendHtml(response, toDocument({ body: frame }));
};

function laterDocument(script: string): string {
  return toDocument({
    head: `<style>html { background: ${RED} }</style>`,
    body: `<script>${DRAW} const done = () => draw(1);</script><script>addEventListener('load', () => { ${script} });</script>`,
  });
}
