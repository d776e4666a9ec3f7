/**
 * What of the browser's messages is read, and how much. Nearly every byte of them is the page's own choice: addresses, names,
 * headers, what it sends and gets. So a message is never made a string before its size is known, whatever it is about.
 *
 * Events that nobody listens to are dropped while they arrive. Of all others, long strings are cut; none of ours needs more of them.
 */
export const HEARD_EVENTS: ReadonlySet<string> = new Set([
  // Puppeteer's own, without a session or to attach one; popups.ts
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
  'Console.messageAdded',
  'Log.entryAdded',
  'Fetch.requestPaused',
  'Fetch.authRequired',
]);

/** Messages up to here are read as they are. */
export const SMALL_BYTES = 65_536;

/** What is left of a larger one: of each of its strings, and of all of it. Beyond, its page loses its capture. */
export const READ_LIMITS = {
  // Addresses of up to 2 MB are told by their beginning: host, scheme, and what fits into a header.
  event: { stringBytes: 65_536, messageBytes: 1_048_576 },
  // Markup comes in parts that fit; see `formats/read-source.ts`.
  answer: { stringBytes: 2_621_440, messageBytes: 8_388_608 },
} as const;

/**
 * A message so large, or so many of them, stop the browser for all of its pages: it takes some 4 s to make one of 140 MB, and
 * 9 s one of 540 (2 cores, 2026-11-22). The page that is behind it loses its capture.
 */
export const MAX_MESSAGE_BYTES = 64 * 1_048_576;
export const MAX_PAGE_BYTES = 256 * 1_048_576;
