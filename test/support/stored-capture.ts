import type { StoredCapture } from '../../src/parts/cache/capture-cache.ts';
import type { CaptureAnswer } from '../../src/core/capture/capture.ts';
import type { Captured } from '../../src/core/capture/capture-on-page.ts';
import { deliveryFields } from '../../src/core/capture/request/delivery.ts';
import type { JobRecord, JobResult } from '../../src/parts/jobs/job.ts';

export const CAPTURE_RESULT: Captured = {
  file: Buffer.from('picture'),
  parts: new Map(),
  facts: {
    size: { width: 3, height: 2 },
    targetStatus: 200,
    targetUrl: 'https://example.com/',
    blockedRequests: 0,
    filteredRequests: 0,
    warnings: [],
    timings: { queue: 0, navigate: 1.25, ahead: 0, wait: 20, render: 3.14159 },
  },
};

/** Replaces values of the result. */
export interface GivenResult extends Partial<Omit<CaptureAnswer, 'facts'>> {
  readonly facts?: Partial<Captured['facts']>;
}

export function resultWith({ facts, ...given }: GivenResult = {}): CaptureAnswer {
  return { ...CAPTURE_RESULT, ...given, facts: { ...CAPTURE_RESULT.facts, ...facts } };
}

/** Returns a capture with this file in the form of a cache entry. */
export function storedCapture(file: Buffer): StoredCapture {
  return { captured: { ...CAPTURE_RESULT, file }, etag: '"tag"', capturedAtMs: 0, ttlSeconds: 60 };
}

/** Returns the result of a job that has made a picture. */
export function jobResult(id: string, bytes = CAPTURE_RESULT.file.length): JobResult {
  return {
    path: `jobs/${id}.png`,
    format: 'png',
    delivery: deliveryFields.parse({}),
    contentType: 'image/png',
    bytes,
    cache: 'BYPASS',
    facts: CAPTURE_RESULT.facts,
  };
}

/** Returns the ids of submitted jobs. */
export async function idsOf(submitting: Promise<readonly JobRecord[]> | undefined): Promise<readonly string[]> {
  return ((await submitting) ?? []).map(({ id }) => id);
}
