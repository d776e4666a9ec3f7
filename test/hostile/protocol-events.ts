/**
 * Actions in `/page` that make the browser send a large event, and the answer to a frame or a second request of the
 * page.
 */
export interface EventRow {
  /** Name of the protocol event, as in src/core/browser/pipe/received-events.ts. */
  readonly event: string;
  /** The part of the event that a page chooses, and its maximum size. */
  readonly largest: string;
  /** Script of the page. LONG is a text of three million characters, ADDRESS one of nearly two, Chrome's limit. */
  readonly script?: string;
  readonly body?: string;
  /**
   * Minimum number of characters after truncation, to prove that the event was not dropped. Undefined if the page
   * chooses no part of it.
   */
  readonly least?: number;
  /** If true, the requests of the page are intercepted, as for custom headers or passwords. */
  readonly isHeld?: boolean;
}

const CUT = 60_000; // of a string of 65,536
const ids = { largest: 'ids only' } as const;

/** Every event that the service or Puppeteer subscribes to, with the largest content that a page can cause. */
export const EVENT_ROWS: readonly EventRow[] = [
  {
    event: 'Target.targetCreated',
    largest: 'no limit: the name of a shared worker',
    script: "new SharedWorker('/worker', { name: LONG });",
    least: CUT,
  },
  {
    event: 'Target.targetDestroyed',
    ...ids,
    script: "new SharedWorker('/ending', { name: LONG });",
  },
  {
    event: 'Target.targetInfoChanged',
    largest: '4 MB: the address, sent as address and title',
    script: "history.pushState(null, '', '/empty?' + ADDRESS);",
    least: CUT,
  },
  {
    event: 'Target.attachedToTarget',
    largest: '4 MB: the address of a frame on another site, sent as address and title',
    script: "history.pushState(null, '', '/empty?' + ADDRESS);",
    least: CUT,
  },
  { event: 'Target.detachedFromTarget', ...ids },
  { event: 'Inspector.targetCrashed', largest: 'nothing' },
  { event: 'Emulation.virtualTimeBudgetExpired', largest: 'nothing' },
  {
    event: 'Page.javascriptDialogOpening',
    largest: '10,000 characters: Chrome cuts the text',
    script: 'setTimeout(() => alert(LONG));',
    least: 9_000,
  },
  {
    event: 'Page.frameAttached',
    largest: 'no limit: the name of a function',
    script:
      "const add = () => addFrame({ src: '/empty' }); Object.defineProperty(add, 'name', { value: LONG }); add();",
    least: 100,
  },
  {
    event: 'Page.frameNavigated',
    largest: 'no limit: the name of a frame',
    script: "addFrame({ name: LONG, src: '/empty' });",
    least: CUT,
  },
  {
    event: 'Page.documentOpened',
    largest: 'no limit: the name of a frame',
    script: 'const frame = addFrame({ name: LONG }); frame.contentDocument.open(); frame.contentDocument.close();',
    least: CUT,
  },
  {
    event: 'Page.frameRequestedNavigation',
    largest: 'no limit: a data: address',
    script: "addFrame({ src: 'data:text/html,' + LONG });",
    least: CUT,
  },
  {
    event: 'Page.frameScheduledNavigation',
    largest: '2 MB: an address',
    script: "setTimeout(() => { location = '/empty?' + ADDRESS; });",
    least: CUT,
  },
  {
    event: 'Page.frameClearedScheduledNavigation',
    ...ids,
    script: "addFrame({}).contentWindow.location = '/empty'; addEventListener('load', () => { location = '/empty'; });",
  },
  { event: 'Page.frameStoppedLoading', ...ids },
  { event: 'Page.loadEventFired', largest: 'nothing' },
  {
    event: 'Network.requestWillBeSent',
    largest: 'no limit: a header, a data: address, the name of a function. Bodies are not part of the event',
    script: "fetch('/empty', { method: 'POST', body: LONG, headers: { 'x-long': LONG } });",
    least: CUT,
  },
  {
    event: 'Network.responseReceived',
    largest: 'no limit: a data: address; headers of 256 KB',
    script: "fetch('data:text/plain,' + LONG);",
    least: CUT,
  },
  { event: 'Network.dataReceived', largest: 'ids and sizes' },
  { event: 'Network.loadingFinished', largest: 'ids and sizes' },
  {
    event: 'Network.loadingFailed',
    largest: '256 KB: a refused header',
    script: "fetch('OTHER/long').catch(() => undefined);",
    least: 100,
  },
  {
    event: 'Network.requestServedFromCache',
    ...ids,
    body: '<link rel="stylesheet" href="/kept"><iframe src="/events/Network.requestServedFromCache~inner"></iframe>',
  },
  {
    event: 'Network.webSocketCreated',
    largest: '2 MB: an address',
    script: "new WebSocket('ws://' + location.host + '/?' + ADDRESS);",
    least: CUT,
  },
  {
    event: 'Network.webSocketFrameReceived',
    largest: 'no limit: a message of the server',
    script: "new WebSocket('ws://' + location.host + '/socket');",
    least: CUT,
  },
  {
    event: 'Network.webSocketFrameSent',
    largest: 'no limit: a message of the page',
    script:
      "const socket = new WebSocket('ws://' + location.host + '/socket'); socket.onopen = () => socket.send(LONG);",
    least: CUT,
  },
  {
    event: 'Network.webSocketClosed',
    ...ids,
    script: "new WebSocket('ws://' + location.host + '/empty');",
  },
  {
    event: 'Network.eventSourceMessageReceived',
    largest: 'no limit: a message of the server',
    script: "new EventSource('/event-stream');",
    least: CUT,
  },
  {
    event: 'ServiceWorker.workerVersionUpdated',
    largest: '2 MB: the address of a script',
    script: "navigator.serviceWorker.register('/worker?' + LONG.slice(0, 8_000));",
    least: 8_000,
  },
  {
    event: 'Console.messageAdded',
    largest: 'no limit: the console message',
    script: 'setTimeout(() => console.log(LONG));',
    least: CUT,
  },
  {
    event: 'Log.entryAdded',
    largest: '2 MB: the address of a resource that failed to load',
    script: "setTimeout(() => fetch('http://127.0.0.1:1/?' + ADDRESS).catch(() => undefined));",
    least: CUT,
  },
  {
    event: 'Fetch.requestPaused',
    largest: 'no limit: a header, a body',
    script: "fetch('/empty', { method: 'POST', body: LONG, headers: { 'x-long': LONG } });",
    isHeld: true,
    least: CUT,
  },
  {
    event: 'Fetch.authRequired',
    largest: 'no limit: a header of the request; 256 KB: a realm',
    script: "fetch('/password', { headers: { 'x-long': LONG.slice(0, 9_000) } });", // no server takes more
    isHeld: true,
    least: 100,
  },
];

/** The section of test/hostile/REPORT.md. */
export function describeEvents(): string {
  return [
    '\n## Protocol events that a page can cause\n',
    'This table lists every DevTools event that the service listens to, with the largest payload that a page can cause. All other events are dropped unread.',
    'In these events, each string is cut at 64 KB before it is decoded. A capture ends with `PageCrashedError` after a message of more than 64 MB, after a',
    'message of more than 1 MB after the cut, or after 256 MB of messages. `test/integration/browser/protocol-events.test.ts` tests each row.\n',
    '| event | largest payload |',
    '| --- | --- |',
    ...EVENT_ROWS.map(({ event, largest }) => `| \`${event}\` | ${largest} |`),
  ].join('\n');
}
