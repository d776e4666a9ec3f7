import { setTimeout as delay } from 'node:timers/promises';
import type { CDPSession } from 'puppeteer';

/** For the first message of a WebSocket or an EventSource: many servers send the state of the page at once. */
const FIRST_MESSAGE_MS = 600;
const MAX_CHANNELS = 10; // a page may open one after the other

export interface FirstMessages {
  /** Follows one more protocol session. */
  readonly follow: (session: CDPSession) => void;
  /** True while a channel is open that has had no message, for a limited time. */
  readonly areAwaited: () => boolean;
  /** Resolves once none is awaited. Returns true if a message has come since the last call. */
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
