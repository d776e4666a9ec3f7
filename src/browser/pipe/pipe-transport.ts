import type { Readable, Writable } from 'node:stream';
import type { ConnectionTransport } from 'puppeteer';
import { resultTooLarge, ServiceError } from '../../errors.ts';
import { gatherBytes, type Gathering } from './gather-bytes.ts';
import type { DecodedBytes, ResultRoom, WholeBytes } from './result-buffer.ts';
import type { PageAccount } from './page-account.ts';
import { createIncomingMessage, type PipeMessage } from './pipe-message.ts';

const END = 0; // ends every message, in both directions

/** The protocol over the two pipes of a browser. Puppeteer's own makes three strings of every picture on its way. */
export interface PipeTransport extends ConnectionTransport {
  /**
   * What the `data` of an answer stands for. Only while the promise of that answer is being settled: what is not fetched then is
   * dropped, so that a capture which nobody waits for any more leaves nothing.
   * @throws ServiceError ResultTooLargeError, or OverloadedError when there is no room for it.
   */
  readonly takeBytes: (data: string) => Buffer;
  /** For what comes in several answers, with room for all of it as long as it is gathered. */
  readonly gatherBytes: () => Gathering;
  /** Counts what a session says for the page that it belongs to. Gives back the end of it. */
  readonly countFor: (account: PageAccount, sessionId: string) => () => void;
}

/** No limit: for those who know what they capture. */
const ENDLESS_ROOM: ResultRoom = {
  maxBytes: Infinity,
  take: () => true,
  give: () => undefined,
  litter: () => undefined,
};

/** Puppeteer closes the transport with its connection, which ends both pipes. */
export function createPipeTransport(
  toBrowser: Writable,
  fromBrowser: Readable,
  room: ResultRoom = ENDLESS_ROOM,
): PipeTransport {
  const held = new Map<string, DecodedBytes>();
  const accounts = new Map<string, PageAccount>();
  let incoming = createIncomingMessage(room);

  /** Undefined where nobody came for it in time. */
  const takeWhole = (key: string): WholeBytes | undefined => {
    const decoded = held.get(key);
    held.delete(key);
    if (decoded === undefined || decoded.outcome === 'whole') return decoded;
    decoded.give();
    throw decoded.outcome === 'too large' ? resultTooLarge(room.maxBytes) : noRoom();
  };

  const drop = (key: string): void => {
    const decoded = held.get(key);
    held.delete(key);
    decoded?.give();
    if (decoded?.outcome === 'whole') room.litter(decoded.bytes.length);
  };

  const transport: PipeTransport = {
    send: (message) => {
      // What is said in one turn goes with one write: each wakes the browser, on cores that it needs itself.
      if (toBrowser.writableCorked === 0) {
        toBrowser.cork();
        process.nextTick(() => {
          toBrowser.uncork();
        });
      }
      toBrowser.write(`${message}\0`);
    },
    close: () => {
      toBrowser.destroy();
      fromBrowser.destroy();
    },
    takeBytes: (data) => {
      const whole = takeWhole(data);
      whole?.give();
      return whole?.bytes ?? Buffer.alloc(0);
    },
    gatherBytes: () => gatherBytes(takeWhole, room),
    countFor: (account, sessionId) => {
      accounts.set(sessionId, account);
      return () => void accounts.delete(sessionId);
    },
  };

  const deliver = ({ text, bytes, sessionId }: PipeMessage): void => {
    if (bytes !== undefined) {
      held.set(bytes.key, bytes.value);
      setImmediate(drop, bytes.key);
    }
    if (text === undefined || text === '') return;
    // Puppeteer's handler is asynchronous, and calls our listeners: what one throws must not end the process.
    const lose = (error: unknown): void => accounts.get(sessionId ?? '')?.lose(error);
    try {
      const handled: unknown = transport.onmessage?.(text);
      if (handled instanceof Promise) handled.catch(lose);
    } catch (error) {
      lose(error);
    }
  };

  const arrive = (message: PipeMessage): void => {
    accounts.get(message.sessionId ?? '')?.count(message);
    // One turn of the event loop each: what waits for one message has run before the next one comes.
    if ((message.text !== undefined && !message.isTooLarge) || message.bytes !== undefined)
      setImmediate(deliver, message);
  };

  fromBrowser.on('data', (chunk: Buffer) => {
    let start = 0;
    for (let end = chunk.indexOf(END); end !== -1; end = chunk.indexOf(END, start)) {
      incoming.add(chunk.subarray(start, end));
      arrive(incoming.finish());
      incoming = createIncomingMessage(room);
      start = end + 1;
    }
    if (start < chunk.length) incoming.add(chunk.subarray(start));
  });
  fromBrowser.once('close', () => transport.onclose?.());
  // A browser that dies breaks its pipes off; the close that follows is what tells.
  for (const pipe of [toBrowser, fromBrowser]) pipe.on('error', () => undefined);
  return transport;
}

function noRoom(): ServiceError {
  return new ServiceError('OverloadedError', 'Too many large results at once', { retryAfterSeconds: 5 });
}
