import { setTimeout as delay } from 'node:timers/promises';
import type { CDPSession } from 'puppeteer';

/**
 * Time limit for the first message of a WebSocket or an EventSource, because many servers send the state of the page at
 * once.
 */
const FIRST_MESSAGE_MS = 600;
/** Time limit for an EventSource with a listener for its messages, because the page shows these messages. */
const FIRST_EVENT_MS = 2_200;
/** Time limit for reading `EventSource`, which a page may have replaced by a getter that never returns. */
const QUESTION_MS = 100;
const MAX_CHANNELS = 10; // a page may open channels one after the other

export interface FirstMessages {
  /** Also follows the channels that this session reports. */
  readonly follow: (session: CDPSession) => void;
  /** True while an open channel has had no message yet, for a limited time. */
  readonly areAwaited: () => boolean;
  /** Resolves when no first message is awaited. Returns true if a message has arrived since the last call. */
  readonly arrive: () => Promise<boolean>;
}

/** Follows the channels of a page, each until its first message. */
export function createFirstMessages(): FirstMessages {
  const silent = new Map<string, PromiseWithResolvers<void>>();
  let opened = 0;
  let hasCome = false;

  const close = ({ requestId }: { requestId: string }): void => {
    silent.get(requestId)?.resolve();
    silent.delete(requestId);
  };
  const onOpened = async (requestId: string, mayTakeLonger: () => Promise<boolean>): Promise<void> => {
    if (++opened > MAX_CHANNELS) return;
    silent.set(requestId, Promise.withResolvers());
    await delay(FIRST_MESSAGE_MS, undefined, { ref: false });
    const over = delay(FIRST_EVENT_MS - FIRST_MESSAGE_MS, false, { ref: false });
    // A page that does not answer is not awaited either.
    if (silent.has(requestId) && (await Promise.race([mayTakeLonger(), over]))) await over;
    close({ requestId });
  };
  const onMessage = (message: { requestId: string }): void => {
    hasCome ||= silent.has(message.requestId);
    close(message);
  };

  return {
    follow: (session) => {
      session.on('Network.requestWillBeSent', ({ requestId, type }) => {
        if (type === 'EventSource') void onOpened(requestId, () => hearsEvents(session));
      });
      session.on('Network.eventSourceMessageReceived', onMessage);
      session.on('Network.loadingFinished', close);
      session.on('Network.loadingFailed', close);
      session.on('Network.webSocketCreated', ({ requestId }) => {
        void onOpened(requestId, async () => false);
      });
      session.on('Network.webSocketFrameReceived', onMessage);
      session.on('Network.webSocketClosed', close);
    },
    areAwaited: () => hasCome || silent.size > 0,
    arrive: async () => {
      while (silent.size > 0) await Promise.all([...silent.values()].map(({ promise }) => promise));
      const came = hasCome;
      hasCome = false;
      return came;
    },
  };
}

/**
 * True if an EventSource of the page has a listener for messages. Messages without a listener can't change the page.
 */
async function hearsEvents(session: CDPSession): Promise<boolean> {
  try {
    const { result: prototype } = await session.send('Runtime.evaluate', {
      expression: 'EventSource.prototype',
      timeout: QUESTION_MS,
    });
    if (prototype.objectId === undefined) return false;
    const { objects } = await session.send('Runtime.queryObjects', { prototypeObjectId: prototype.objectId });
    const { objectId = '' } = objects;
    const { result: sources } = await session.send('Runtime.getProperties', {
      objectId,
      ownProperties: true,
    });
    const heard = await Promise.all(
      sources.slice(0, MAX_CHANNELS).map(async ({ value }) => {
        if (value?.objectId === undefined) return false;
        const { listeners } = await session.send('DOMDebugger.getEventListeners', {
          objectId: value.objectId,
        });
        return listeners.some(({ type }) => type !== 'open' && type !== 'error');
      }),
    );
    return heard.includes(true);
  } catch {
    return false; // the page has navigated, or was closed
  }
}
