import { setTimeout as delay } from 'node:timers/promises';
import type { CDPSession } from 'puppeteer';

/** Time limit for the first message of a WebSocket or an EventSource, because many servers send the state of the page at once. */
const FIRST_MESSAGE_MS = 600;
const MAX_CHANNELS = 10; // a page may open channels one after the other

export interface FirstMessages {
  /** Follows one more protocol session. */
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
  const onOpened = (requestId: string): void => {
    if (++opened > MAX_CHANNELS) return;
    silent.set(requestId, Promise.withResolvers());
    void delay(FIRST_MESSAGE_MS, { requestId }, { ref: false }).then(close);
  };
  const onMessage = (message: { requestId: string }): void => {
    hasCome ||= silent.has(message.requestId);
    close(message);
  };

  return {
    follow: (session) => {
      session.on('Network.requestWillBeSent', ({ requestId, type }) => {
        if (type === 'EventSource') onOpened(requestId);
      });
      session.on('Network.eventSourceMessageReceived', onMessage);
      session.on('Network.loadingFinished', close);
      session.on('Network.loadingFailed', close);
      session.on('Network.webSocketCreated', ({ requestId }) => {
        onOpened(requestId);
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
