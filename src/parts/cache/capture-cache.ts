import type { Caching } from '../../core/capture/capture.ts';
import type { Captured } from '../../core/capture/capture-on-page.ts';

/** A finished capture as stored. */
export interface StoredCapture extends Omit<Caching, 'isHit' | 'isShared'> {
  readonly captured: Captured;
}

/**
 * Stores captures between requests. Its calls never reject. If the store is unreachable, the service captures the page
 * again. Keys are hashes, so they may be logged.
 */
export interface CaptureCache {
  /** Returns the capture, or undefined if it is missing or expired. */
  readonly get: (key: string) => Promise<StoredCapture | undefined>;
  /** Stores a capture for this time, or less if memory is short. */
  readonly set: (key: string, capture: StoredCapture, ttlSeconds: number) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Size of the file and the parts. */
export function contentBytes({ captured: { file, parts } }: StoredCapture): number {
  return [file, ...parts.values()].reduce((sum, { length }) => sum + length, 0);
}
