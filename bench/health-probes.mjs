import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { quantile } from './statistics.mjs';

const PROBE_MS = 50;
const PROBE_LIMIT_MS = 10_000;
const BARE = `require('node:http').createServer((_, response) => response.end('{}'))
  .listen(0, '127.0.0.1', function () { console.log(this.address().port); });`;

/**
 * Measures /health/live of the service and, in turn, of a bare Node server beside it: the difference is the service,
 * the rest is the machine. Moments without a service do not count. `stop` may be called twice.
 */
export async function startProbes(address) {
  const bare = spawn(process.execPath, ['-e', BARE], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [port] = await once(bare.stdout, 'data');
  const times = { service: [], bare: [] };
  const stopping = new AbortController();
  const run = async () => {
    while (!stopping.signal.aborted) {
      const base = address();
      if (base !== undefined) await probe(new URL('/health/live', base), times.service);
      await probe(`http://127.0.0.1:${Number(port)}/`, times.bare);
      await delay(PROBE_MS);
    }
  };
  void run();
  return {
    stop: () => {
      stopping.abort();
      bare.kill('SIGKILL');
      return { service: summarize(times.service), bare: summarize(times.bare) };
    },
  };
}

async function probe(url, kept) {
  const startedAt = performance.now();
  try {
    await (await fetch(url, { signal: AbortSignal.timeout(PROBE_LIMIT_MS) })).text();
    kept.push(performance.now() - startedAt);
  } catch (error) {
    if (error.name === 'TimeoutError') kept.push(PROBE_LIMIT_MS); // else it was killed
  }
}

function summarize(values) {
  return { p50: quantile(values, 0.5), p99: quantile(values, 0.99) };
}
