// Fills a cache ten times over with bodies of all sizes, and prints the memory growth of the process. Runs in a
// separate process: `node fill-cache.ts <maxBytes>`.
import { randomBytes } from 'node:crypto';
import { createGarbageCollector } from '../../src/core/ground/memory-budget.ts';
import { createMemoryCache, type MemoryCache } from '../../src/parts/cache/memory-cache.ts';
import { storedCapture } from './stored-capture.ts';

const TIMES = 10;
const SMALLEST = 200;
const LARGEST = 400_000;
const maxBytes = Number(process.argv[2]);
const collectGarbage = createGarbageCollector();
let seed = 1;

// Runs the same work first with a cache that stores nothing, to subtract its cost.
await fill(createMemoryCache({ maxBytes: 0 }));
collectGarbage();
const before = process.memoryUsage.rss();
const cache = createMemoryCache({ maxBytes, collectGarbage });
const peak = await fill(cache);
process.stdout.write(JSON.stringify({ before, peak, kept: cache.usage().bytes }));

/** Returns the peak memory of the process. */
async function fill(filled: MemoryCache): Promise<number> {
  let [bytes, most, count] = [0, 0, 0];
  while (bytes < TIMES * maxBytes) {
    // Sizes are spread evenly on a logarithmic scale; bodies come in chunks, as from a browser.
    const length = Math.ceil(SMALLEST * (LARGEST / SMALLEST) ** random());
    const body = Buffer.from(Buffer.alloc(length, 'x').toString('base64'), 'base64');
    await filled.set(randomBytes(32).toString('base64url'), storedCapture(body), 600);
    bytes += length;
    if (++count % 50 > 0) continue;
    await new Promise((resolve) => setImmediate(resolve));
    most = Math.max(most, process.memoryUsage.rss());
  }
  return most;
}

/** Returns the same sequence each time, so that the test is deterministic. */
function random(): number {
  seed = (seed * 48_271) % 2_147_483_647;
  return seed / 2_147_483_647;
}
