import { setTimeout as delay } from 'node:timers/promises';
import type { CDPSession } from 'puppeteer';
import type { Evaluation } from '../evaluate.ts';
import { countChanges, isBeginning } from '../in-page/count-changes.ts';
import { hearsMessages } from './hears-messages.ts';

/**
 * Time limit for the first message of a WebSocket or an EventSource, because many servers send the state of the page at
 * once.
 */
const FIRST_MESSAGE_MS = 1_000;
/** Time limit for an EventSource with a listener for its messages, because the page shows these messages. */
const FIRST_EVENT_MS = 2_200;
/** Time limit for the answer to a message of the page. A dashboard logs in and asks before it shows anything. */
const ANSWER_MS = 1_000;
/** Silence after which a channel that changes the page is not awaited: longer while the page is nearly empty. */
const SILENT_MS = 1_000;
const SILENT_BEGINNING_MS = 4_000;
/** Characters of a page that has begun, and of one that a channel may build although it has changed nothing yet. */
const LEAST_TEXT = { shown: 100, unchanged: 24 };
/** Time after which a piece of an answer has come later than its beginning. */
const PAUSE_MS = 100;
const CHECK_MS = 50;
/** Messages without a change after which a channel of a page that is nearly empty is not expected to build it. */
const MOST_IDLE_MESSAGES = 10;
const MAX_CHANNELS = 10; // a page may open channels one after the other

/** Types of answers that are read piece by piece. Plain text may be, too. */
const STREAMED = /^(?:text\/event-stream|application\/(?:x-ndjson|ndjson|jsonl|x-json-stream|stream\+json))$/;

/** An open connection that brings one message after the other. On the clock of `performance.now()`. */
interface Channel {
  /** The end of the wait for its first message. 0: it is not awaited any more. */
  firstUntil: number;
  /** When the page last sent a message that is not answered. */
  requestedAt: number;
  heardAt: number;
  /** Messages that came before the page changed with one. */
  idleMessages: number;
  /** Changes of the page when they were last counted. */
  changes: number;
  /** True if the page has changed with a message. */
  shows: boolean;
  /** True for an answer: its beginning may change nothing. */
  readonly isAnswer: boolean;
  /** Asks whether the page listens for its messages. */
  readonly hears: () => Promise<boolean>;
  /** True if it does, as far as that was asked. */
  isHeard: boolean;
  counting: Promise<void>;
  /** True while a count waits for the one before. */
  willCount: boolean;
}

/** WebSockets, EventSources, and answers that are read piece by piece. */
export interface Channels {
  /** Also follows the channels that this session reports. */
  readonly follow: (session: CDPSession) => void;
  /** True while a channel is open. */
  readonly areOpen: () => boolean;
  /**
   * Resolves when no channel is awaited, or at the deadline on the clock of `performance.now()`. `hasCome`: a message
   * has arrived since the last call.
   */
  readonly settle: (until: number) => Promise<{ readonly hasCome: boolean; readonly isInTime: boolean }>;
  /** True while a channel is open that has changed the page. */
  readonly areShowing: () => boolean;
}

/** Follows the channels of a page. */
export function createChannels({ evaluate }: Pick<Evaluation, 'evaluate'>): Channels {
  const open = new Map<string, Channel>();
  let opened = 0;
  let hasCome = false;
  let silentMs = SILENT_MS;

  const count = (channel: Channel, isMessage: boolean): Promise<void> => countFor(channel, isMessage, evaluate);
  const onOpened = (requestId: string, firstMs: number, hears?: Channel['hears']): Channel | undefined => {
    if (++opened > MAX_CHANNELS) return undefined;
    const channel = newChannel(firstMs, hears);
    channel.counting = count(channel, false);
    open.set(requestId, channel);
    return channel;
  };
  const onMessage = ({ requestId }: { requestId: string }): void => {
    const channel = open.get(requestId);
    if (channel === undefined) return;
    hasCome = true;
    Object.assign(channel, { heardAt: performance.now(), firstUntil: 0, requestedAt: 0 });
    if (channel.shows) return;
    channel.idleMessages++;
    if (channel.willCount) return; // the next count is for all messages until then
    channel.willCount = true;
    channel.counting = channel.counting.then(() => {
      channel.willCount = false;
      return count(channel, true);
    });
  };
  const answers = createLateAnswers((requestId) => onOpened(requestId, SILENT_MS));
  const close = ({ requestId }: { requestId: string }): void => {
    open.delete(requestId);
    answers.forget(requestId);
  };

  const hasHardlyBegun = async (): Promise<boolean> =>
    await evaluate(isBeginning, areShowing(open) ? LEAST_TEXT.shown : LEAST_TEXT.unchanged).catch(() => false);
  const areAwaited = (): boolean => [...open.values()].some((channel) => isAwaited(channel, silentMs));

  return {
    follow: (session) => {
      session.on('Network.requestWillBeSent', ({ requestId, type }) => {
        if (type !== 'EventSource') return;
        const channel = onOpened(requestId, FIRST_MESSAGE_MS, hearing(session, 'EventSource'));
        if (channel !== undefined) void waitLonger(channel);
      });
      session.on('Network.responseReceived', ({ requestId, type, response: { mimeType, headers } }) => {
        const isWhole = Object.keys(headers).some((name) => name.toLowerCase() === 'content-length');
        if (type !== 'Fetch' || isWhole) return;
        if (mayStream(mimeType)) onOpened(requestId, SILENT_MS);
        else answers.begin(requestId);
      });
      session.on('Network.dataReceived', (data) => {
        answers.receive(data.requestId);
        if (open.get(data.requestId)?.isAnswer === true) onMessage(data); // an EventSource has comments, too
      });
      session.on('Network.eventSourceMessageReceived', onMessage);
      session.on('Network.loadingFinished', close);
      session.on('Network.loadingFailed', close);
      session.on('Network.webSocketCreated', ({ requestId }) => {
        onOpened(requestId, FIRST_MESSAGE_MS, hearing(session, 'WebSocket'));
      });
      session.on('Network.webSocketFrameReceived', onMessage);
      session.on('Network.webSocketFrameSent', ({ requestId }) => {
        const channel = open.get(requestId);
        if (channel !== undefined && channel.requestedAt === 0) channel.requestedAt = performance.now();
      });
      session.on('Network.webSocketClosed', close);
    },
    areOpen: () => open.size > 0,
    settle: async (until) => {
      silentMs = SILENT_MS;
      for (;;) {
        await Promise.all([...open.values()].map(({ counting }) => counting));
        if (performance.now() >= until) break;
        if (areAwaited()) await delay(CHECK_MS);
        else if (silentMs === SILENT_MS && open.size > 0 && (await hasHardlyBegun())) {
          await Promise.all([...open.values()].filter(isUnheard).map(askWhetherHeard));
          silentMs = SILENT_BEGINNING_MS;
        } else break;
      }
      const hasNoMessage =
        silentMs > SILENT_MS && [...open.values()].some((channel) => isUnheard(channel) && channel.isHeard);
      silentMs = SILENT_MS;
      const settled = { hasCome, isInTime: !areAwaited() && !hasNoMessage };
      hasCome = false;
      return settled;
    },
    areShowing: () => areShowing(open),
  };
}

/** Counts the changes of the page. A message is taken for the cause of those since the last count. */
async function countFor(channel: Channel, isMessage: boolean, evaluate: Evaluation['evaluate']): Promise<void> {
  const changesNow = (): Promise<number> => evaluate(countChanges).catch(() => channel.changes); // the page navigates
  let changes = await changesNow();
  if (isMessage && changes === channel.changes) {
    await delay(CHECK_MS); // the page may draw with its next frame
    changes = await changesNow();
  }
  if (isMessage && changes > channel.changes) channel.shows = true;
  channel.changes = changes;
}

/** @param hears undefined for an answer, which the page reads */
function newChannel(firstMs: number, hears?: Channel['hears']): Channel {
  return {
    firstUntil: performance.now() + firstMs,
    requestedAt: 0,
    heardAt: 0,
    idleMessages: 0,
    changes: 0,
    shows: false,
    isAnswer: hears === undefined,
    hears: hears ?? (() => Promise.resolve(false)),
    isHeard: false,
    counting: Promise.resolve(),
    willCount: false,
  };
}

function isAwaited(channel: Channel, silentMs: number): boolean {
  const { firstUntil, requestedAt, heardAt, idleMessages, shows, isAnswer, isHeard } = channel;
  const now = performance.now();
  const mayBegin = silentMs > SILENT_MS;
  const waitsForFirst = isUnheard(channel) && now < firstUntil + (mayBegin && isHeard ? silentMs : 0);
  if (waitsForFirst || now < requestedAt + ANSWER_MS) return true;
  const mayBuild = mayBegin && idleMessages <= MOST_IDLE_MESSAGES;
  return heardAt > 0 && (shows || isAnswer || mayBuild) && now < heardAt + silentMs;
}

function hearing(session: CDPSession, kind: 'EventSource' | 'WebSocket'): Channel['hears'] {
  return () => hearsMessages(session, kind);
}

async function askWhetherHeard(channel: Channel): Promise<void> {
  channel.isHeard = await channel.hears();
}

function isUnheard({ firstUntil }: Channel): boolean {
  return firstUntil > 0;
}

/** Follows answers of other types: a piece that comes later than the beginning makes them channels. */
function createLateAnswers(onChannel: (requestId: string) => void) {
  const begun = new Map<string, number>();
  return {
    begin: (requestId: string): void => void begun.set(requestId, performance.now()),
    receive: (requestId: string): void => {
      if (performance.now() < (begun.get(requestId) ?? Infinity) + PAUSE_MS) return;
      begun.delete(requestId);
      onChannel(requestId);
    },
    forget: (requestId: string): void => void begun.delete(requestId),
  };
}

/** True for the type of an answer that is always read piece by piece. */
export function isStream(mimeType: string): boolean {
  return STREAMED.test(mimeType);
}

function mayStream(mimeType: string): boolean {
  return mimeType === 'text/plain' || isStream(mimeType);
}

function areShowing(open: ReadonlyMap<string, Channel>): boolean {
  return [...open.values()].some(({ shows }) => shows);
}

/** Waits longer for the first message of an EventSource that the page listens to. */
async function waitLonger(channel: Channel): Promise<void> {
  await delay(FIRST_MESSAGE_MS - CHECK_MS, undefined, { ref: false });
  if (channel.firstUntil === 0) return;
  channel.firstUntil += FIRST_EVENT_MS - FIRST_MESSAGE_MS; // also while the page is asked
  if (!(await channel.hears())) channel.firstUntil = 0;
}
