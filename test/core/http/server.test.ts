import express from 'express';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createHttpServer, type HttpServer } from '../../../src/core/http/server.ts';

describe('createHttpServer', () => {
  let server: HttpServer;
  let url: string;
  let finish: () => void;
  let arrived: Promise<void>;

  beforeEach(async () => {
    const held = Promise.withResolvers<void>();
    const arrival = Promise.withResolvers<void>();
    finish = held.resolve;
    arrived = arrival.promise;
    const app = express();
    app.get('/quick', (_request, response) => void response.send('ok'));
    app.get('/held', async (_request, response) => {
      arrival.resolve();
      await held.promise;
      response.send('ok');
    });
    server = createHttpServer(app);
    const { port } = await server.listen('127.0.0.1', 0);
    url = `http://127.0.0.1:${port}`;
  });
  afterEach(() => server.close());

  const connectionAfter = async (path: string): Promise<string | null> => {
    const response = await fetch(`${url}${path}`);
    await response.text();
    return response.headers.get('connection');
  };

  it('keeps connections open until it drains', async () => {
    expect(await connectionAfter('/quick')).toBe('keep-alive');

    server.leave();

    expect(await connectionAfter('/quick')).toBe('close');
  });

  it('closes the connection of an answer in progress when it drains', async () => {
    const held = connectionAfter('/held');
    await arrived;

    server.leave();
    finish();

    expect(await held).toBe('close');
  });
});
