import { LRUCache } from 'lru-cache';
import { type CaptureCache, contentBytes, type StoredCapture } from './capture-cache.ts';

// Heap of each entry: key, objects and bookkeeping of the library. Measured: 1.2 KB (2026-11-21).
const ENTRY_OVERHEAD_BYTES = 2_048;
// Memory fragmentation by bodies of different sizes: 20 % in a cache that was filled ten times (2026-11-21).
const BODY_FACTOR = 1.25;
/** Share of all bytes that may be garbage before a collection. */
const GARBAGE_SHARE = 0.05;
const MIN_GARBAGE_BYTES = 4 * 1024 ** 2; // a collection stops the process for about 20 ms

interface CacheUsage {
  readonly entries: number;
  readonly bytes: number;
}

/** A cache in the memory of this process. */
export interface MemoryCache extends CaptureCache {
  readonly usage: () => CacheUsage;
}

interface MemoryCacheOptions {
  /** Above this size, the least recently used captures are dropped. */
  readonly maxBytes: number;
  /** Milliseconds of a monotonic clock. */
  readonly now?: () => number;
  /** Frees dropped bodies, see `createGarbageCollector`. Called when it is worth the pause. */
  readonly collectGarbage?: () => void;
}

/** Stores captures of at most `maxBytes` in total. A capture that is larger alone is not stored. */
export function createMemoryCache({
  maxBytes,
  now = () => performance.now(),
  collectGarbage = () => undefined,
}: MemoryCacheOptions): MemoryCache {
  const garbageLimit = Math.max(MIN_GARBAGE_BYTES, maxBytes * GARBAGE_SHARE);
  let garbageBytes = 0;
  const drop = (capture: StoredCapture): void => {
    garbageBytes += contentBytes(capture);
    if (garbageBytes < garbageLimit) return;
    garbageBytes = 0;
    setImmediate(collectGarbage); // so that the current answer is sent first
  };
  const captures = new LRUCache<string, StoredCapture>({
    maxSize: Math.max(1, maxBytes), // the library takes 0 as unlimited
    sizeCalculation: (capture) => {
      const { targetUrl = '' } = capture.captured.facts;
      return Math.ceil(contentBytes(capture) * BODY_FACTOR) + 2 * targetUrl.length + ENTRY_OVERHEAD_BYTES;
    },
    dispose: drop,
    perf: { now },
    ttlResolution: 0, // uses no timer, and expires exactly
  });
  return {
    get: async (key) => captures.get(key),
    set: async (key, capture, ttlSeconds) => {
      if (ttlSeconds <= 0) return; // the library takes 0 as unlimited
      captures.set(key, withOwnMemory(capture), { ttl: ttlSeconds * 1_000 });
    },
    close: async () => captures.clear(),
    usage: () => ({ entries: captures.size, bytes: captures.calculatedSize }),
  };
}

function withOwnMemory({ captured, ...times }: StoredCapture): StoredCapture {
  const parts = [...captured.parts].map(([name, text]) => [name, ownMemory(text)] as const);
  return { ...times, captured: { ...captured, file: ownMemory(captured.file), parts: new Map(parts) } };
}

/** Copies a small Buffer. It can be a slice of a larger Buffer, which would stay in memory uncounted. */
function ownMemory(bytes: Buffer): Buffer {
  if (bytes.buffer.byteLength === bytes.length) return bytes;
  const own = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(own);
  return own;
}

/** What parts that show the use of the cache share. */
export interface CacheState {
  readonly cacheUsage: MemoryCache['usage'];
}
