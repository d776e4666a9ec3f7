import { LRUCache } from 'lru-cache';
import type { CaptureCache, StoredCapture } from './capture-cache.ts';

// The key, the objects around a body, and what the library needs for each entry: measured as 1.2 KB of heap (2026-11-21).
const ENTRY_OVERHEAD_BYTES = 2_048;
// What the gaps between bodies cost that come and go in all sizes: 20 % on top of them, in a cache filled ten times (2026-11-21).
const BODY_FACTOR = 1.25;
/** Of all its bytes, how many may have been dropped and still be in memory. */
const LITTER_SHARE = 0.05;
const LEAST_LITTER_BYTES = 4 * 1024 ** 2; // a collection stops the process for some 20 ms

interface CacheUsage {
  readonly entries: number;
  readonly bytes: number;
}

/** A cache in the memory of this process. */
export interface MemoryCache extends CaptureCache {
  readonly usage: () => CacheUsage;
}

interface MemoryCacheOptions {
  /** Beyond it, the captures that were asked for longest ago are dropped. */
  readonly maxBytes: number;
  /** Milliseconds, never going back. */
  readonly now?: () => number;
  /** Frees what was dropped; see `collect-garbage.ts`. Called when it is worth it. */
  readonly collectGarbage?: () => void;
}

/** Keeps captures in at most so many bytes; one that is larger by itself is not kept. */
export function createMemoryCache({
  maxBytes,
  now = () => performance.now(),
  collectGarbage = () => undefined,
}: MemoryCacheOptions): MemoryCache {
  const litterLimit = Math.max(LEAST_LITTER_BYTES, maxBytes * LITTER_SHARE);
  let litterBytes = 0;
  const drop = ({ result }: StoredCapture): void => {
    litterBytes += result.body.length;
    if (litterBytes < litterLimit) return;
    litterBytes = 0;
    setImmediate(collectGarbage); // the answer that it was dropped for goes out first
  };
  const captures = new LRUCache<string, StoredCapture>({
    maxSize: Math.max(1, maxBytes), // to the library, 0 is no limit
    sizeCalculation: ({ result: { body, targetUrl = '' } }) =>
      Math.ceil(body.length * BODY_FACTOR) + 2 * targetUrl.length + ENTRY_OVERHEAD_BYTES,
    dispose: drop,
    perf: { now },
    ttlResolution: 0, // no timer, and never a moment too long
  });
  return {
    get: async (key) => captures.get(key),
    set: async (key, capture, ttlSeconds) => {
      if (ttlSeconds <= 0) return; // to the library, 0 is for ever
      captures.set(key, withOwnMemory(capture), { ttl: ttlSeconds * 1_000 });
    },
    close: async () => {
      captures.clear();
    },
    usage: () => ({ entries: captures.size, bytes: captures.calculatedSize }),
  };
}

/** A small Buffer is a slice of a larger one, all of which would be kept, uncounted, for as long as the slice. */
function withOwnMemory(capture: StoredCapture): StoredCapture {
  const { body } = capture.result;
  if (body.buffer.byteLength === body.length) return capture;
  const own = Buffer.allocUnsafeSlow(body.length);
  body.copy(own);
  return { ...capture, result: { ...capture.result, body: own } };
}
