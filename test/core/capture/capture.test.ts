import { describe, expect, it, vi } from 'vitest';
import type { PagePool } from '../../../src/core/browser/pool/page-pool.ts';
import { createCapture } from '../../../src/core/capture/capture.ts';
import { createEncodeLimit } from '../../../src/core/capture/formats/pictures/encode-limit.ts';
import { parseOptions } from '../../../src/core/capture/request/parse-options.ts';
import type { Destinations } from '../../../src/core/egress/destination.ts';
import { ServiceError } from '../../../src/core/ground/errors.ts';
import { createLog } from '../../../src/core/ground/log.ts';
import { fake } from '../../support/fake.ts';

describe('createCapture', () => {
  // A DNS lookup may take seconds, and a refusal must be immediate.
  it('refuses when the queue is full, without a DNS lookup first', async () => {
    const decide = vi.fn<Destinations['decide']>();
    const capture = createCapture({
      pool: fake<PagePool>({
        refuseWhenFull: () => {
          throw new ServiceError('OverloadedError');
        },
      }),
      openDestinations: () => fake<Destinations>({ decide }),
      captureTimeoutMs: 1_000,
      maxPixels: 1e7,
      lists: async () => undefined,
      maxResultBytes: 1e8,
      encodeLimit: createEncodeLimit(1),
      digestOf: async () => '',
    });

    await expect(
      capture(parseOptions({ url: 'https://example.com/' }, { maxWaitMs: 1_000 }).capture, {
        signal: new AbortController().signal,
        log: createLog({ level: 'silent', format: 'json' }),
      }),
    ).rejects.toMatchObject({ type: 'OverloadedError' });
    expect(decide).not.toHaveBeenCalled();
  });
});
