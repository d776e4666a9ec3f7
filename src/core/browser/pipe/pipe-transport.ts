import type { Readable, Writable } from 'node:stream';
import type { ConnectionTransport } from 'puppeteer';
import { resultTooLarge, ServiceError } from '../../ground/errors.ts';
import { gatherBytes, type Gathering } from './gather-bytes.ts';
import type { DecodedBytes, ResultRoom, WholeBytes } from './result-buffer.ts';
import type { PageAccount } from './page-account.ts';
import { createIncomingMessage, type PipeMessage } from './pipe-message.ts';

const END = 0; // ends every message in both directions

/** The DevTools protocol over two pipes. Puppeteer's transport would copy every picture into three strings. */
export interface PipeTransport extends ConnectionTransport {
  /**
   * Returns the bytes for the `data` of an answer. Call it while the promise of that answer settles: bytes that are not
   * fetched then are dropped, so a cancelled capture leaves nothing behind.
   * @throws ServiceError ResultTooLargeError, or OverloadedError if there is no memory for it
   */
  readonly takeBytes: (data: string) => Buffer;
  /**
   * Collects bytes of several answers, and holds the memory for all of them: at most that of one result, if no limit is
   * given.
   */
  readonly gatherBytes: (maxBytes?: number) => Gathering;
  /** Counts the messages of a session for its page. Returns a function that stops counting. */
  readonly countFor: (account: PageAccount, sessionId: string) => () => void;
  /** Number of pieces read from the pipe of the browser. A message can have many. */
  readonly receivedCount: () => number;
}

/** Memory without a limit, for callers that know the size of the result. */
const ENDLESS_ROOM: ResultRoom = {
  maxBytes: Infinity,
  take: () => true,
  give: () => undefined,
  addGarbage: () => undefined,
};

/** Puppeteer closes the transport with its connection. This closes both pipes. */
export function createPipeTransport(
  toBrowser: Writable,
  fromBrowser: Readable,
  room: ResultRoom = ENDLESS_ROOM,
): PipeTransport {
  const held = createHeldBytes(room);
  const accounts = new Map<string, PageAccount>();
  let incoming = createIncomingMessage(room);
  let received = 0;

  const transport: PipeTransport = {
    send: (message) => {
      // Messages of one turn of the event loop are written together: each write wakes the browser.
      if (toBrowser.writableCorked === 0) {
        toBrowser.cork();
        process.nextTick(() => toBrowser.uncork());
      }
      toBrowser.write(`${message}\0`);
    },
    close: () => {
      toBrowser.destroy();
      fromBrowser.destroy();
    },
    takeBytes: (data) => {
      const whole = held.take(data);
      whole?.give();
      return whole?.bytes ?? Buffer.alloc(0);
    },
    gatherBytes: (maxBytes) => gatherBytes(held.take, room, maxBytes),
    countFor: (account, sessionId) => {
      accounts.set(sessionId, account);
      return () => void accounts.delete(sessionId);
    },
    receivedCount: () => received,
  };

  const deliver = ({ text, bytes, sessionId }: PipeMessage): void => {
    if (bytes !== undefined) held.hold(bytes.key, bytes.value);
    if (text === undefined || text === '') return;
    // Puppeteer's handler is asynchronous and calls our listeners. An error in a listener must not end the process.
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
    // One message per turn of the event loop, so that the code waiting for a message runs before the next message.
    if ((message.text !== undefined && !message.isTooLarge) || message.bytes !== undefined)
      setImmediate(deliver, message);
  };

  fromBrowser.on('data', (chunk: Buffer) => {
    received++;
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
  // A browser that ends breaks its pipes. The following close event handles it.
  for (const pipe of [toBrowser, fromBrowser]) pipe.on('error', () => undefined);
  return transport;
}

/** Holds the bytes of answers until the end of the turn in which they are delivered. */
function createHeldBytes(room: ResultRoom) {
  const held = new Map<string, DecodedBytes>();
  const drop = (key: string): void => {
    const decoded = held.get(key);
    held.delete(key);
    decoded?.give();
    if (decoded?.outcome === 'whole') room.addGarbage(decoded.bytes.length);
  };

  return {
    hold: (key: string, value: DecodedBytes): void => {
      held.set(key, value);
      setImmediate(drop, key);
    },
    /** Undefined if the bytes were not fetched in time. */
    take: (key: string): WholeBytes | undefined => {
      const decoded = held.get(key);
      held.delete(key);
      if (decoded === undefined || decoded.outcome === 'whole') return decoded;
      decoded.give();
      throw decoded.outcome === 'too large' ? resultTooLarge(room.maxBytes) : noRoom();
    },
  };
}

function noRoom(): ServiceError {
  return new ServiceError('OverloadedError', 'Too many large results at once', { retryAfterSeconds: 5 });
}
