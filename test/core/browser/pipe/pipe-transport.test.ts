import { PassThrough, Writable } from 'node:stream';
import { beforeEach, describe, expect, it } from 'vitest';
import { createPipeTransport, type PipeTransport } from '../../../../src/core/browser/pipe/pipe-transport.ts';

const BYTES = Buffer.from(Array.from({ length: 1_000 }, (_, index) => (index * 7) % 256));
const ANSWER = `{"id":12,"result":{"data":"${BYTES.toString('base64')}"},"sessionId":"A"}`;

describe('the transport over two pipes', () => {
  let toBrowser: PassThrough;
  let fromBrowser: PassThrough;
  let transport: PipeTransport;
  let received: string[];
  beforeEach(() => {
    [toBrowser, fromBrowser] = [new PassThrough(), new PassThrough()];
    transport = createPipeTransport(toBrowser, fromBrowser);
    received = [];
    listen({ onmessage: (message) => void received.push(message) });
  });

  /** Sets listeners as Puppeteer's connection does: as properties, not events. */
  const listen = (listeners: Pick<PipeTransport, 'onmessage' | 'onclose'>): void => {
    Object.assign(transport, listeners);
  };

  const arrive = async (...chunks: readonly string[]): Promise<void> => {
    for (const chunk of chunks) fromBrowser.write(chunk);
    await settled();
  };

  /** Fetches the bytes as a caller does: in the promise that the message settles. */
  const fetchBytes = (): Promise<Buffer> =>
    new Promise((resolve) => {
      listen({
        onmessage: (message) => {
          void Promise.resolve(dataOf(message)).then((data) => resolve(transport.takeBytes(data)));
        },
      });
    });

  it('ends each message with a zero byte', async () => {
    transport.send('{"id":1}');
    transport.send('{"id":2}');
    await settled();

    expect(String(toBrowser.read())).toBe('{"id":1}\0{"id":2}\0');
  });

  it('batches messages of one event loop turn into one write', async () => {
    const writes: string[] = [];
    const pipe = new Writable({
      writev: (chunks, done) => {
        writes.push(chunks.map(({ chunk }) => String(chunk)).join(''));
        done();
      },
    });
    const other = createPipeTransport(pipe, fromBrowser);

    other.send('{"id":1}');
    other.send('{"id":2}');
    await settled();
    other.send('{"id":3}');
    await settled();

    expect(writes).toEqual(['{"id":1}\0{"id":2}\0', '{"id":3}\0']);
  });

  it.each([
    ['one at a time', ['{"a":1}\0', '{"b":2}\0']],
    ['two at once', ['{"a":1}\0{"b":2}\0']],
    ['in pieces', ['{"a', '":1}', '\0{"b":', '2}\0']],
    ['with the end of one and the beginning of the next', ['{"a":1', '}\0{"b"', ':2}\0']],
  ])('delivers messages that arrive %s', async (_how, chunks) => {
    await arrive(...chunks);

    expect(received).toEqual(['{"a":1}', '{"b":2}']);
  });

  // The watchdog must not kill a browser while it writes one large message.
  it('counts what it has received before a message is complete', async () => {
    await arrive('{"a":1');
    expect(transport.receivedCount()).toBe(1);
    await arrive('23');

    expect(transport.receivedCount()).toBe(2);
    expect(received).toEqual([]);
  });

  it('keeps characters whole that arrive in two chunks', async () => {
    const bytes = Buffer.from('{"a":"é"}\0');
    fromBrowser.write(bytes.subarray(0, 7));
    fromBrowser.write(bytes.subarray(7));
    await settled();

    expect(received).toEqual(['{"a":"é"}']);
  });

  it.each([1, 2, 3, 5, 30, 47, 48, 49, 64, 100, 1_001, ANSWER.length])(
    'returns the bytes of an answer that arrives in chunks of %i',
    async (size) => {
      const bytes = fetchBytes();
      const message = `${ANSWER}\0`;
      await arrive(
        ...Array.from({ length: Math.ceil(message.length / size) }, (_, index) =>
          message.slice(index * size, (index + 1) * size),
        ),
      );

      expect(BYTES.equals(await bytes)).toBe(true);
    },
  );

  it('never converts them to a string, and keeps the rest of the answer', async () => {
    await arrive(ANSWER.slice(0, 200), `${ANSWER.slice(200)}\0`);

    expect(received.map((text) => ({ ...JSON.parse(text), result: undefined }))).toEqual([
      { id: 12, result: undefined, sessionId: 'A' },
    ]);
    expect(received[0]?.length).toBeLessThan(100);
  });

  it('drops unclaimed bytes: a disconnected client leaks nothing', async () => {
    await arrive(`${ANSWER}\0`);
    const late = dataOf(received[0] ?? '');

    expect(BYTES.equals(transport.takeBytes(late))).toBe(false);
  });

  it('reports the end of the browser, but not the errors before it', async () => {
    let closed = 0;
    listen({ onclose: () => void closed++ });
    fromBrowser.emit('error', new Error('ECONNRESET'));
    toBrowser.emit('error', new Error('EPIPE'));
    transport.close();
    await settled();

    expect(closed).toBe(1);
  });
});

/** Waits until a stream has passed on its chunks, and until the work that follows has run. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) {
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  }
}

function dataOf(message: string): string {
  const { result }: { result: { data: string } } = JSON.parse(message);
  return result.data;
}
