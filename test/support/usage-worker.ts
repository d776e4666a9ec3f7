// A process that makes captures until it is killed: `node usage-worker.ts <folder> <Redis URL, optional>`. It writes a
// line to counted.log after each capture that it has counted, and keeps one more reservation.
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pino from 'pino';
import { createUsageOf } from '../../src/parts/usage/create-usage.ts';
import { keyWith } from './key.ts';

const [folder = '', redisUrl] = process.argv.slice(2);
const usage = await createUsageOf({
  keysFile: 'keys.json',
  dataDir: folder,
  redisUrl,
  log: pino({ level: 'silent' }),
});
const key = keyWith({ quota: { captures: 1_000_000, per: 'month' } });
await usage?.reserve(key);
for (;;) {
  const claim = await usage?.reserve(key);
  await delay(5);
  await claim?.count(Buffer.alloc(1_000));
  appendFileSync(join(folder, 'counted.log'), 'counted\n');
}
