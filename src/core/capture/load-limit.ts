import { setTimeout as delay } from 'node:timers/promises';
import type { MainDocument } from '../browser/page/main-frame.ts';
import type { Page } from '../browser/page/page.ts';
import type { KnownRequest } from '../browser/page/requests/silence.ts';
import type { GateSession } from '../egress/gate/gate-session.ts';
import { ServiceError } from '../ground/errors.ts';
import { raceAbort } from '../ground/timeouts.ts';

/** Silence of all sub-resources after which the service gives up on those that are missing. */
const SILENCE_MS = 10_000;
/**
 * Once the page is given up on, a connection is closed after this silence. The same limit applies to requests that the
 * page starts afterwards, such as a fallback.
 */
const STALLED_MS = 1_000;
/**
 * Once the first connections were closed, further ones are closed after this silence. Chrome opens six connections to a
 * host, so fifty silent pictures take nine rounds, and those that answer load in between.
 */
const ROUND_MS = 100;
/** Time between two checks. */
const CHECK_MS = 50;
/** Time without an answer of the page after which a synchronous request of a script is the likely cause. */
const BLOCKED_MS = 500;
/** How long a busy page may take to answer at the time limit. A page whose script runs endlessly never answers. */
const BUSY_MS = 5_000;
/** How long such a page may take, once it answers, to report what has arrived and loaded. */
const REPORT_MS = 100;
/** Time without any event after which the page is captured although its load has not ended. */
const LAST_MS = 1_500;

export interface LoadLimits {
  /** Time limit of the page load in milliseconds. */
  readonly waitMs: number;
  /** Time limit of the whole capture, on the clock of `performance.now()`. */
  readonly endsAt: number;
  readonly gateSession: Pick<GateSession, 'endSilent' | 'refusalOf'>;
  /** Called when sub-resources are given up. */
  readonly onIncomplete: () => void;
  /** Called for each request that was given up and has failed. */
  readonly onLeftOut: (request: KnownRequest) => void;
}

/**
 * Waits for a page load within its time limit. If the document has arrived and only sub-resources are missing, ends
 * their connections, so that the parser goes on behind a script that never comes, and the page gets its `error` and
 * `load` events.
 * @throws ServiceError TimeoutError after `waitMs`, or the error of `loading`
 */
export async function withLoadLimit(page: Page, limits: LoadLimits, loading: Promise<void>): Promise<void> {
  const { waitMs, endsAt, onIncomplete } = limits;
  const late = new AbortController();
  const startedAt = performance.now();
  const endSilent = createSilenceCheck(page, limits, startedAt + Math.min(waitMs, (endsAt - startedAt) / 2));
  let isOver = false;
  let ending: Promise<void> | undefined;
  const check = (): void => {
    const lateMs = performance.now() - startedAt - waitMs;
    if (isOver || endSilent(performance.now()) || lateMs < 0) return;
    const end = (): void => late.abort(loadTimeout(waitMs));
    ending ??= endBusyLoad(page, onIncomplete).catch(end);
    if (lateMs > BUSY_MS) end();
  };
  // Events that have arrived by then count, even if the busy process has not read them: Node reads them before
  // `setImmediate`.
  const timer = setInterval(() => setImmediate(check), Math.min(CHECK_MS, waitMs));
  try {
    await raceAbort(loading, late.signal);
  } finally {
    isOver = true;
    clearInterval(timer);
  }
}

/**
 * Ends the load of a document that has arrived, once the page answers: its frames are heavy, or the machine is busy. A
 * busy page also reports late what has arrived.
 * @throws Error if no document has arrived
 */
async function endBusyLoad({ session, mainFrame, requests }: Page, onIncomplete: () => void): Promise<void> {
  const document = mainFrame.current();
  const missing = new Error('no document has arrived');
  if (document === undefined || document.isLoaded() || mainFrame.isLeaving()) throw missing;
  await session.send('Runtime.evaluate', { expression: '0' });
  await delay(REPORT_MS);
  if (document !== mainFrame.current() || document.isLoaded()) return;
  if (document.requestId !== undefined && requests.has(document.requestId)) throw missing;
  onIncomplete();
  document.endLoad();
}

/**
 * Returns a function that closes silent connections. Call it every `CHECK_MS`. It returns true while the load is being
 * ended.
 */
function createSilenceCheck(
  page: Page,
  { gateSession, onIncomplete, onLeftOut }: LoadLimits,
  giveUpAt: number,
): (now: number) => boolean {
  const { requests, mainFrame, mainFrameId } = page;
  const isStuck = createStuckProbe(page);
  const givenUp = new Set<string>();
  let document: MainDocument | undefined;
  let beganAt = 0;
  let endedAt: number | undefined;
  /** When a request that was given up last failed. */
  let failedAt = 0;
  /** True if a script probably waits for a synchronous request. */
  let isBlocked = false;

  const isSubresource = ({ resourceType, frameId }: KnownRequest): boolean =>
    resourceType !== 'Document' || frameId !== mainFrameId;
  /** Silent sub-resources, without event streams and long polls, which are often silent. */
  const missing = (silentMs: number): readonly KnownRequest[] =>
    requests
      .silent(silentMs)
      .filter(isSubresource)
      .filter(({ resourceType: type }) => type !== 'Fetch' && (type !== 'XHR' || isBlocked));
  const hasArrived = ({ requestId }: MainDocument): boolean => requestId === undefined || !requests.has(requestId);
  /** False while a script keeps the page busy: then no sub-resource is missing. */
  const isIncomplete = (current: MainDocument, silentMs: number): boolean => {
    if (mainFrame.isLeaving()) return false;
    // A synchronous request keeps the document from arriving; the page does not answer meanwhile.
    if (requests.silent(silentMs).some(({ resourceType }) => resourceType === 'XHR') && isStuck()) return true;
    return hasArrived(current) && missing(0).length > 0;
  };
  const endConnections = (current: MainDocument, silentMs: number): void => {
    for (const { requestId } of missing(isBlocked ? ROUND_MS : STALLED_MS)) givenUp.add(requestId);
    const ended = missing(0).filter(({ requestId }) => givenUp.has(requestId));
    gateSession.endSilent(ended, silentMs, { sparesAnswers: !hasArrived(current) });
  };

  requests.onFailed((request) => {
    if (!isSubresource(request)) return;
    if (givenUp.has(request.requestId)) failedAt = performance.now();
    const isUnreachable = gateSession.refusalOf(request.url) === 'timed_out';
    if (isUnreachable) onIncomplete();
    if (isUnreachable || givenUp.has(request.requestId)) onLeftOut(request);
  });

  return (now) => {
    if (document !== mainFrame.current()) {
      document = mainFrame.current();
      beganAt = now;
      endedAt = undefined;
    }
    if (document === undefined) return false;
    const newsAt = Math.max(beganAt, endedAt ?? 0, requests.arrivedAt(), failedAt);
    if (endedAt === undefined) {
      if (now < Math.min(newsAt + SILENCE_MS, giveUpAt)) return false;
      if (!isIncomplete(document, now < giveUpAt ? SILENCE_MS : STALLED_MS)) return false;
      endedAt = now;
      onIncomplete();
      requests.giveUp(STALLED_MS);
      endConnections(document, STALLED_MS);
    } else if (now < Math.min(newsAt, giveUpAt) + LAST_MS) {
      isBlocked ||= isStuck();
      endConnections(document, ROUND_MS);
    } else if (!hasArrived(document)) {
      return false;
    } else {
      requests.giveUp();
      document.endLoad();
    }
    return true;
  };
}

/**
 * Returns a function that tells whether a script keeps the page from answering, as one does that waits for a
 * synchronous request. Call it often: it asks the page at most once in `BLOCKED_MS`.
 */
function createStuckProbe({ session }: Page): () => boolean {
  let sentAt = -Infinity;
  let hasAnswered = true;
  return () => {
    const now = performance.now();
    if (!hasAnswered) return now - sentAt >= BLOCKED_MS;
    if (now - sentAt < BLOCKED_MS) return false;
    sentAt = now;
    hasAnswered = false;
    const answer = (): void => void (hasAnswered = true);
    session.send('Runtime.evaluate', { expression: '0' }).then(answer, answer); // an error: another document is there
    return false;
  };
}

function loadTimeout(waitMs: number): ServiceError {
  return new ServiceError('TimeoutError', 'The page did not load in time', {
    details: `wait_for_timeout: the page load took longer than ${waitMs} ms`,
  });
}
