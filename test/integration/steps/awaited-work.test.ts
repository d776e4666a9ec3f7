import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { acceptSocket } from '../../fidelity/pages/accept-socket.ts';
import type { Colour } from '../../support/colour.ts';
import { capture } from '../../support/http.ts';
import { expectColour, readPicture } from '../../support/pixels.ts';
import { type SharedService, sharedService } from '../../support/shared-service.ts';

const GREEN: Colour = [0, 160, 0];
const WINDOW = { window_width: 200, window_height: 100 } as const;
const SHOW = "document.getElementById('box').style.background = 'rgb(0,160,0)'";
const BOX =
  '<!doctype html><style>body { margin: 0 }</style><div id="box" style="height:100px;background:#d00">Loading</div>';

let service: SharedService;
beforeAll(async () => {
  service = await sharedService();
});

const workerOf = (script: string): string => `new Worker(URL.createObjectURL(new Blob([${JSON.stringify(script)}])))`;
const forever = (work: string): string => `(async () => { for (;;) { ${work} } })()`;
/** The limits of 5 s, and the rest of a capture on a busy machine. */
const PATIENCE_MS = 25_000;

const frame = (text: string): Buffer => Buffer.concat([Buffer.from([0x81, text.length]), Buffer.from(text)]);
const later = (ms: number, send: () => void): void => void setTimeout(send, ms).unref();

/** Streams and sockets by path. */
const STREAMS: Readonly<Record<string, (response: ServerResponse) => void>> = {
  '/lines': (response) => {
    response.setHeader('Content-Type', 'application/x-ndjson');
    for (const line of [1, 2, 3, 4]) later(line * 400, () => response.write(`${line}\n`));
    later(2_000, () => response.end());
  },
  '/part': (response) => later(500, () => response.end('part')),
  '/pieces': (response) => {
    response.setHeader('Content-Type', 'text/x-component');
    for (const line of [1, 2, 3, 4]) later(line * 300, () => response.write(`${line}\n`));
    later(1_500, () => response.end());
  },
  '/events': (response) => {
    response.setHeader('Content-Type', 'text/event-stream');
    response.write('data: hello\n\n');
    later(800, () => response.write('data: state\n\n'));
  },
  '/events-later': (response) => {
    response.setHeader('Content-Type', 'text/event-stream');
    response.flushHeaders();
    for (const [index, state] of ['hello', 'state'].entries())
      later(400 + index * 700, () => response.write(`data: ${state}\n\n`));
  },
  '/endless': (response) => {
    response.setHeader('Content-Type', 'text/event-stream');
    const timer = setInterval(() => response.write('data: tick\n\n'), 200);
    response.on('close', () => clearInterval(timer));
  },
  '/silent': () => undefined,
};
/** Answers a dashboard: its first message, then a message for each of its own. */
function answerSocket(socket: Duplex): void {
  later(300, () => socket.write(frame('login')));
  let received = 0;
  socket.on('data', () => {
    const answer = ++received === 1 ? 'in' : 'state';
    later(300, () => socket.write(frame(answer)));
  });
}

function tick(socket: Duplex): void {
  const timer = setInterval(() => socket.write(frame('tick')), 100);
  socket.on('close', () => clearInterval(timer));
  socket.on('error', () => clearInterval(timer)); // the page was closed
}

const server = createServer((request, response) => {
  const stream = STREAMS[request.url ?? ''];
  if (stream !== undefined) stream(response);
  else response.setHeader('Content-Type', 'text/html').end(`${BOX}<script>${scriptOf(request.url ?? '')}</script>`);
});

/** Returns the script of a page, or that of the address: cryptography needs a secure context, which markup has not. */
const scriptOf = (url: string): string => PAGES[url] ?? decodeURIComponent(url.split('?')[1] ?? '');

const PAGES: Readonly<Record<string, string>> = {
  '/dashboard': `const socket = new WebSocket('ws://' + location.host + '/socket');
    socket.onmessage = ({ data }) => { if (data === 'login') socket.send('me'); if (data === 'in') socket.send('all'); if (data === 'state') { ${SHOW} } }`,
  '/read-lines': `let text = ''; (async () => { const lines = (await fetch('/lines')).body.pipeThrough(new TextDecoderStream()).getReader();
    for (;;) { const { done, value } = await lines.read(); if (done) break; box.textContent += value; if (value.includes('4')) { ${SHOW} } } })()`,
  '/read-pieces': `(async () => { const pieces = (await fetch('/pieces')).body.pipeThrough(new TextDecoderStream()).getReader();
    for (;;) { const { done, value } = await pieces.read(); if (done) break; box.textContent += value; if (value.includes('4')) { ${SHOW} } } })()`,
  '/read-text': `fetch('/pieces').then((answer) => answer.text()).then(() => { ${SHOW} })`,
  '/hear-late': `const late = new WebSocket('ws://' + location.host + '/late'); late.onmessage = () => { ${SHOW} }`,
  '/hear-events': `new EventSource('/events').onmessage = ({ data }) => { box.textContent = data; if (data === 'state') { ${SHOW} } }`,
  '/hear-later': `new EventSource('/events-later').onmessage = ({ data }) => { box.textContent = data; if (data === 'state') { ${SHOW} } }`,
  '/hear-in-frame': `document.body.innerHTML = '<iframe src="/hear-later" style="position:fixed;inset:0;border:0;width:100%;height:100%"></iframe>'`,
  '/hear-first': `const first = new WebSocket('ws://' + location.host + '/first'); first.onmessage = () => { ${SHOW} }`,
  '/draw': `document.body.innerHTML = '<canvas id="chart" width="300" height="200" style="position:fixed;inset:0"></canvas>'; const pen = chart.getContext('2d');
    new EventSource('/events-later').onmessage = ({ data }) => { pen.fillStyle = data === 'state' ? 'rgb(0,160,0)' : 'gray'; pen.fillRect(0, 0, 300, 200) }`,
  '/hear-endless': "new EventSource('/endless').onmessage = () => { box.textContent += '.' }",
  '/chat': `${SHOW}; const chat = new WebSocket('ws://' + location.host + '/socket'); chat.onopen = () => chat.send('hello')`,
};

beforeAll(async () => {
  server.on('upgrade', (request, socket) => {
    acceptSocket(request);
    if (request.url === '/ticks') tick(socket);
    else if (request.url === '/late') later(850, () => socket.write(frame('state')));
    else if (request.url === '/first') later(3_000, () => socket.write(frame('state')));
    else answerSocket(socket);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
});

const isPort = (address: AddressInfo | string | null): address is AddressInfo => typeof address === 'object';
const urlOf = (path: string): string => {
  const address = server.address();
  return isPort(address) ? `http://127.0.0.1:${address.port}${path}` : '';
};
/** Returns the address of a page that runs a script. */
const running = (script: string): string => urlOf(`/?${encodeURIComponent(script)}`);
const captured = async (source: object) => {
  const answer = await capture(service.url, { ...WINDOW, ...source });
  expect(answer.status).toBe(200);
  const { body, headers } = answer;
  return { picture: await readPicture(body), warnings: headers.get('x-capture-warnings'), headers };
};

describe('a list that grows while it is scrolled', () => {
  it('is whole if it requests each part from the same address, which takes a while', async () => {
    const script = `box.style.height = '0'; let parts = 0; const end = document.createElement('hr'); document.body.append(end);
      const more = async () => { await fetch('/part'); for (let i = 0; i < 4; i++) { const row = document.createElement('div'); row.style.cssText = 'height:100px;background:teal'; end.before(row) } if (++parts === 6) seen.disconnect() };
      const seen = new IntersectionObserver(async ([{ isIntersecting }]) => { if (!isIntersecting) return; await more(); seen.unobserve(end); if (parts < 6) seen.observe(end) });
      more().then(() => seen.observe(end))`;

    const { picture, warnings } = await captured({ url: running(script), full_page: true });

    expect([picture.height > 2_400, warnings]).toEqual([true, null]);
  });
});

const warningsOf = async (script: string) => (await captured({ url: running(script) })).warnings;

describe('what comes through an open channel', () => {
  it.each([
    ['/dashboard', 'streams_open'],
    ['/read-lines', null],
    ['/read-pieces', null],
    ['/read-text', null],
    ['/hear-late', 'streams_open'],
    ['/hear-events', 'streams_open'],
    ['/hear-in-frame', 'streams_open'],
    ['/hear-first', 'streams_open'],
    ['/draw', 'streams_open'],
  ])('is in the picture, and a channel that stays open is told: %s', async (path, warning) => {
    const { picture, warnings } = await captured({ url: urlOf(path) });

    expectColour(picture, 150, 80, GREEN);
    expect(warnings).toBe(warning);
  });

  it('is told if it does not end', async () => {
    expect((await captured({ url: urlOf('/hear-endless') })).warnings).toContain('streams_pending');
  });

  it('costs nothing and is not told if it changes nothing', async () => {
    expect((await captured({ url: urlOf('/chat') })).warnings).toBeNull();
  });
});

describe('work that a page awaits', () => {
  const WORK: Readonly<Record<string, string>> = {
    cryptography: `const key = await crypto.subtle.importKey('raw', new Uint8Array(9), 'PBKDF2', false, ['deriveBits']);
      await crypto.subtle.deriveBits({ name: 'PBKDF2', hash: 'SHA-512', salt: new Uint8Array(9), iterations: 900_000 }, key, 512)`,
    'a database': `const opening = indexedDB.open('records'); opening.onupgradeneeded = () => opening.result.createObjectStore('all', { autoIncrement: true });
      await new Promise((done) => { opening.onsuccess = done });
      const writing = opening.result.transaction('all', 'readwrite'); const all = writing.objectStore('all');
      for (let index = 0; index < 8000; index++) all.add({ index, text: 'x'.repeat(200) });
      await new Promise((done) => { writing.oncomplete = done })`,
    'the answer of a shared worker': `const shared = new SharedWorker(URL.createObjectURL(new Blob(['onconnect = ({ ports: [port] }) => { port.onmessage = () => setTimeout(() => port.postMessage(0), 900) }'])));
      await new Promise((done) => { shared.port.onmessage = done; shared.port.postMessage(0) })`,
    'a body of its own': `await new Response(new Blob([new Uint8Array(4e7)]).stream().pipeThrough(new CompressionStream('gzip'))).arrayBuffer()`,
    'the frames of a worker': `const worker = new Worker(URL.createObjectURL(new Blob(['let left = 40; const draw = () => --left > 0 ? requestAnimationFrame(draw) : postMessage(0); draw()'])));
      await new Promise((done) => { worker.onmessage = done })`,
  };

  it.each(Object.entries(WORK))('is waited for: %s', async (_what, work) => {
    expectColour((await captured({ url: running(`(async () => { ${work}; ${SHOW} })()`) })).picture, 150, 80, GREEN);
  });

  it('is told if it does not end', async () => {
    const url = running('new Response(new ReadableStream()).text()');

    expect((await captured({ url })).warnings).toContain('work_pending');
  });

  it('looks like before to the page', async () => {
    const names =
      'crypto.subtle.digest, indexedDB.open, Response.prototype.text, BaseAudioContext.prototype.decodeAudioData';
    const url = running(
      `box.textContent = [${names}].map((each) => each.toString() + each.name + each.length + ('prototype' in each)).join()`,
    );

    const answer = await capture(service.url, { ...WINDOW, url, format: 'html' });

    expect(answer.body.toString()).toContain(
      'function digest() { [native code] }digest2false,function open() { [native code] }open1false,function text() { [native code] }text0false,function decodeAudioData() { [native code] }decodeAudioData1false',
    );
  });
});

describe('a page that never ends', () => {
  const ENDLESS: Readonly<Record<string, string>> = {
    'a socket': `new WebSocket('ws://' + location.host + '/ticks').onmessage = () => { box.textContent += '.' }`,
    'an event stream': "new EventSource('/endless').onmessage = () => { box.textContent += '.' }",
    'a streamed answer': `(async () => { const reader = (await fetch('/endless')).body.getReader(); for (;;) { await reader.read(); box.textContent += '.' } })()`,
    'frames of a worker': workerOf('const draw = () => requestAnimationFrame(draw); draw()'),
    'requests of a worker': workerOf(`const load = () => fetch('ORIGIN/state').finally(load); load()`),
    'messages of a shared worker': `const shared = new SharedWorker(URL.createObjectURL(new Blob(["onconnect = ({ ports: [port] }) => setInterval(() => port.postMessage(0), 50)"])));
      shared.port.onmessage = () => { box.textContent += '.' }`,
    cryptography: forever(
      "for (let count = 0; count < 9; count++) await crypto.subtle.digest('SHA-512', new Uint8Array(1e6)); await new Promise((done) => setTimeout(done))",
    ), // without a pause, Chrome itself does not get to the page
    'a database': forever("await new Promise((done) => { indexedDB.open('records').onsuccess = done })"),
    sound: forever('await new OfflineAudioContext(1, 1e5, 44100).startRendering()'),
    'a body of its own': 'new Response(new ReadableStream()).text()',
    'a worklet': "new OfflineAudioContext(1, 100, 44100).audioWorklet.addModule('/silent')",
  };

  it.concurrent.each(Object.entries(ENDLESS))('is captured in time: %s', async (_what, script) => {
    const startedAt = performance.now();

    const { headers } = await captured({ url: running(script.replace('ORIGIN', urlOf(''))) });

    const queuedMs = Number(/queue;dur=([\d.]+)/.exec(headers.get('server-timing') ?? '')?.[1]);
    expect(performance.now() - startedAt - queuedMs).toBeLessThan(PATIENCE_MS);
  });
});

describe('a timer beyond the page time that runs ahead', () => {
  const LATER = `setTimeout(() => { ${SHOW} }, 9000)`;

  it('is told if the page shows nothing yet', async () => {
    expect(await warningsOf(LATER)).toBe('timers_pending');
  });

  it('is not told if the page shows something, or has cleared it', async () => {
    expect(await warningsOf(`${LATER}; box.textContent = 'A sentence of a page. '.repeat(9)`)).toBeNull();
    expect(await warningsOf('clearTimeout(setTimeout(() => undefined, 9000))')).toBeNull();
    expect(await warningsOf(`setTimeout(() => { ${SHOW} }, 4000)`)).toBeNull();
  });
});

describe('worklets', () => {
  it('run', async () => {
    const url = running(
      `new OfflineAudioContext(1, 100, 44100).audioWorklet.addModule(URL.createObjectURL(new Blob([''], { type: 'text/javascript' }))).then(() => { ${SHOW} })`,
    );

    expectColour((await captured({ url })).picture, 150, 80, GREEN);
  });
});
