import type { StoredCapture } from '../../src/cache/capture-cache.ts';

export const CAPTURE_RESULT: StoredCapture['result'] = {
  body: Buffer.from('picture'),
  size: { width: 3, height: 2 },
  targetStatus: 200,
  targetUrl: 'https://example.com/',
  blockedRequests: 0,
  filteredRequests: 0,
  warnings: [],
  timings: { queue: 0, navigate: 1.25, ahead: 0, wait: 20, render: 3.14159 },
};

/** Returns a capture with this body in the form of a cache entry. */
export function storedCapture(body: Buffer): StoredCapture {
  return {
    result: { ...CAPTURE_RESULT, body },
    etag: '"tag"',
    capturedAtMs: 0,
    ttlSeconds: 60,
  };
}
