import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { capture } from './http.ts';

it('capture posts JSON with the token, and reads the answer with any status', async () => {
  await using server = createServer((request, response) => {
    void text(request).then((body) => {
      const seen = { path: request.url, token: request.headers.authorization, body };
      response.writeHead(418).end(JSON.stringify(seen));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;

  const answer = await capture(`http://127.0.0.1:${port}`, { format: 'png' }, { token: 'secret' });

  expect(answer.status).toBe(418);
  expect(answer.json()).toEqual({ path: '/capture', token: 'Bearer secret', body: '{"format":"png"}' });
});
