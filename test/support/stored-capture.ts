import type { StoredCapture } from '../../src/cache/capture-cache.ts';

/** A capture with this body, as the cache keeps it. */
export function storedCapture(body: Buffer): StoredCapture {
  return {
    result: {
      body,
      size: { width: 3, height: 2 },
      targetStatus: 200,
      targetUrl: 'https://example.com/',
      blockedRequests: 0,
      warnings: [],
      timings: { queue: 0, navigate: 1, wait: 2, render: 3 },
    },
    etag: '"tag"',
    capturedAtMs: 0,
    ttlSeconds: 60,
  };
}
