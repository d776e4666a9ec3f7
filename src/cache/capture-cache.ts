import type { Caching } from '../capture/capture.ts';
import type { CaptureResult } from '../capture/capture-on-page.ts';

/** A finished capture as it is kept: plain values and one Buffer, so that a store outside this process can hold it too. */
export interface StoredCapture extends Omit<Caching, 'isHit'> {
  readonly result: CaptureResult;
}

/**
 * Where captures are kept between requests. Never rejects: a store that can't be reached has nothing and keeps nothing,
 * and the request is captured anew. Keys are hashes and safe to log.
 */
export interface CaptureCache {
  /** The capture under this key, or undefined when there is none or its time is over. */
  readonly get: (key: string) => Promise<StoredCapture | undefined>;
  /** Keeps a capture for so many seconds from now, or for less where room is short. */
  readonly set: (key: string, capture: StoredCapture, ttlSeconds: number) => Promise<void>;
  readonly close: () => Promise<void>;
}
