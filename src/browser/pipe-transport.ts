import type { Readable, Writable } from 'node:stream';
import type { ConnectionTransport } from 'puppeteer';
import { createIncomingMessage, type PipeMessage } from './pipe-message.ts';

const END = 0; // ends every message, in both directions

/** The protocol over the two pipes of a browser. Puppeteer's own makes three strings of every picture on its way. */
export interface PipeTransport extends ConnectionTransport {
  /**
   * What the `data` of an answer stands for. Only while the promise of that answer is being settled: what is not fetched then is
   * dropped, so that a capture which nobody waits for any more leaves nothing.
   */
  readonly takeBytes: (data: string) => Buffer;
}

/** Puppeteer closes the transport with its connection, which ends both pipes. */
export function createPipeTransport(toBrowser: Writable, fromBrowser: Readable): PipeTransport {
  const held = new Map<string, Buffer>();
  let incoming = createIncomingMessage();

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
      const bytes = held.get(data);
      held.delete(data);
      return bytes ?? Buffer.from(data, 'base64'); // a message so split that it was not recognised in time
    },
  };

  const deliver = ({ text, bytes }: PipeMessage): void => {
    if (bytes !== undefined) {
      held.set(bytes.key, bytes.value);
      setImmediate(() => held.delete(bytes.key));
    }
    transport.onmessage?.(text);
  };

  fromBrowser.on('data', (chunk: Buffer) => {
    let start = 0;
    for (let end = chunk.indexOf(END); end !== -1; end = chunk.indexOf(END, start)) {
      incoming.add(chunk.subarray(start, end));
      // One turn of the event loop each: what waits for one message has run before the next one comes.
      setImmediate(deliver, incoming.finish());
      incoming = createIncomingMessage();
      start = end + 1;
    }
    if (start < chunk.length) incoming.add(chunk.subarray(start));
  });
  fromBrowser.once('close', () => transport.onclose?.());
  // A browser that dies breaks its pipes off; the close that follows is what tells.
  for (const pipe of [toBrowser, fromBrowser]) pipe.on('error', () => undefined);
  return transport;
}
