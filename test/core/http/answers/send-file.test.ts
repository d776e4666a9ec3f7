import { once } from 'node:events';
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { createServer } from 'node:http';
import express from 'express';
import { describe, expect, it } from 'vitest';
import { sendFile } from '../../../../src/core/http/answers/send-file.ts';

describe('a stored file', () => {
  it('counts as sent when its client has all bytes and disconnects, before the file has ended', async () => {
    const leaving = Promise.withResolvers<void>();
    const body = Readable.from(
      (async function* () {
        yield Buffer.from('pic');
        yield Buffer.from('ture');
        await leaving.promise;
      })(),
    );
    const status = await statusOf({ body, bytes: 7 }, async (socket) => {
      let text = '';
      for await (const piece of socket) {
        text += String(piece);
        if (text.endsWith('picture')) break;
      }
    });
    leaving.resolve();

    expect(status).toBe('finished');
  });

  it('breaks the connection if it is shorter than announced', async () => {
    const received: string[] = [];

    const status = await statusOf({ body: Readable.from([Buffer.from('pic')]), bytes: 7 }, async (socket) => {
      for await (const piece of socket) received.push(String(piece));
    });

    expect(received.join('')).toMatch(/content-length: 7[^]*pic$/i);
    expect(status).toBe('interrupted');
  });
});

/** Returns the outcome of the answer, as the log of the service reports it. */
async function statusOf(
  file: { readonly body: Readable; readonly bytes: number },
  read: (socket: AsyncIterable<unknown>) => Promise<void>,
): Promise<string> {
  const ended = Promise.withResolvers<string>();
  const app = express().get('/', async (_request, response) => {
    response.once('close', () => ended.resolve(response.writableFinished ? 'finished' : 'interrupted'));
    response.set('Content-Length', `${file.bytes}`);
    await sendFile(file, response);
  });
  const server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const socket = connect(typeof address === 'object' ? (address?.port ?? 0) : 0, '127.0.0.1');
  try {
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    await read(socket).catch(() => undefined); // the answer is cut off
    socket.destroy();
    return await ended.promise;
  } finally {
    server.closeAllConnections();
    server.close();
  }
}
