/**
 * Limits for messages of the browser. A page chooses nearly every byte of them: addresses, names, headers, bodies. So a
 * message becomes a string only after its size is known. Events without a listener are dropped while they arrive. In
 * all others, long strings are cut, because no listener needs more.
 */
export const RECEIVED_EVENTS: ReadonlySet<string> = new Set([
  // Puppeteer needs these: events without a session, or events that attach a session.
  'Target.targetCreated',
  'Target.targetDestroyed',
  'Target.targetInfoChanged',
  'Target.attachedToTarget',
  'Target.detachedFromTarget',
  'Inspector.targetCrashed',
  'Emulation.virtualTimeBudgetExpired',
  'Page.javascriptDialogOpening',
  'Page.frameAttached',
  'Page.frameNavigated',
  'Page.documentOpened',
  'Page.frameRequestedNavigation',
  'Page.frameScheduledNavigation',
  'Page.frameClearedScheduledNavigation',
  'Page.frameStoppedLoading',
  'Page.loadEventFired',
  'Network.requestWillBeSent',
  'Network.responseReceived',
  'Network.dataReceived',
  'Network.loadingFinished',
  'Network.loadingFailed',
  'Network.requestServedFromCache',
  'Network.webSocketCreated',
  'Network.webSocketFrameReceived',
  'Network.webSocketFrameSent',
  'Network.webSocketClosed',
  'Network.eventSourceMessageReceived',
  'ServiceWorker.workerVersionUpdated',
  'Console.messageAdded',
  'Log.entryAdded',
  'Fetch.requestPaused',
  'Fetch.authRequired',
]);

/** Largest message that is read unchanged. */
export const SMALL_BYTES = 65_536;

/**
 * Limits for larger messages: bytes of each string, and of the whole message. A page that exceeds the second loses its
 * capture.
 */
export const READ_LIMITS = {
  // Addresses can have 2 MB. The start is enough: host, scheme, and as much as fits into a header.
  event: { stringBytes: 65_536, messageBytes: 1_048_576 },
  // Markup is read in parts that fit. See `formats/read-source.ts`.
  answer: { stringBytes: 2_621_440, messageBytes: 8_388_608 },
} as const;

/**
 * Largest message, and largest sum of messages, of one page. Larger ones block the browser for all pages: it takes 4 s
 * to write a message of 140 MB and 9 s for 540 MB (2 cores, 2026-11-22). The page that sent them loses its capture.
 */
export const MAX_MESSAGE_BYTES = 64 * 1_048_576;
export const MAX_PAGE_BYTES = 256 * 1_048_576;
