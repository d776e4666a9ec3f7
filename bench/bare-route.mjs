// A bare Express route in a separate process. It sends the bytes and headers that it receives from its parent.
import express from 'express';

process.once('message', ({ headers, body }) => {
  const bytes = Buffer.from(body, 'base64');
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.get('/capture', (_request, response) => {
    response.set(headers).end(bytes);
  });
  const server = app.listen(0, '127.0.0.1', () => {
    process.send({ url: `http://127.0.0.1:${server.address().port}` });
  });
});
process.once('disconnect', () => process.exit());
