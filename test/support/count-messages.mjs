// Loaded into the service by `--import`: writes a line for each message to the browser, with its method and its bytes.
import { appendFileSync } from 'node:fs';
import { Socket } from 'node:net';

const file = process.env['MESSAGES_FILE'] ?? '';
const write = Reflect.get(Socket.prototype, 'write');
Socket.prototype.write = function count(chunk, ...rest) {
  if (typeof chunk === 'string' && chunk.endsWith('\0')) {
    const { method } = JSON.parse(chunk.slice(0, -1));
    appendFileSync(file, `${method} ${Buffer.byteLength(chunk)}\n`);
  }
  return write.call(this, chunk, ...rest);
};
