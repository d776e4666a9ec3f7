// Fills a cache ten times over with bodies of all sizes, and says what that has done to the memory of the process. In a process of
// its own: `node fill-cache.ts <maxBytes>`.
import { randomBytes } from 'node:crypto';
import { createGarbageCollector } from '../../src/cache/collect-garbage.ts';
import { createMemoryCache, type MemoryCache } from '../../src/cache/memory-cache.ts';
import { storedCapture } from './stored-capture.ts';

const TIMES = 10;
const SMALLEST = 200;
const LARGEST = 400_000;
const maxBytes = Number(process.argv[2]);
const collectGarbage = createGarbageCollector();
let seed = 1;

// The same work with a cache that keeps nothing, first: what that costs is not the cache's.
await fill(createMemoryCache({ maxBytes: 0 }));
collectGarbage();
const before = process.memoryUsage.rss();
const cache = createMemoryCache({ maxBytes, collectGarbage });
const peak = await fill(cache);
process.stdout.write(JSON.stringify({ before, peak, kept: cache.usage().bytes }));

/** Gives back the most memory that the process had meanwhile. */
async function fill(filled: MemoryCache): Promise<number> {
  let [bytes, most, count] = [0, 0, 0];
  while (bytes < TIMES * maxBytes) {
    // As many small ones as large ones, and as a browser sends them.
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

/** The same sizes each time: a test must not depend on luck. */
function random(): number {
  seed = (seed * 48_271) % 2_147_483_647;
  return seed / 2_147_483_647;
}
