import { EventEmitter } from 'node:events';
import type { Response } from 'express';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createSlowRefusals } from '../../../../src/core/http/guards/limiter.ts';
import { fake } from '../../../support/fake.ts';

class FakeResponse extends EventEmitter {
  destroyed = false;
  destroy(): void {
    this.destroyed = true;
  }
}
const newResponse = (): FakeResponse => new FakeResponse();

/** Starts refusals, and returns a function that counts those that have been sent. */
const refuse = (wait: ReturnType<typeof createSlowRefusals>, address: string, responses: FakeResponse[]) => {
  let sent = 0;
  for (const response of responses) void wait(address, fake<Response>(response)).then(() => sent++);
  return () => sent;
};

describe('refusals of guesses', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  // 1,000 forged links of 63 KB a second took 83 per cent of a processor.
  it('go to one address one after the other, and do not delay those of another', async () => {
    const wait = createSlowRefusals();
    const many = refuse(wait, 'a', Array.from({ length: 100 }, newResponse));
    const other = refuse(wait, 'b', [newResponse()]);

    await vi.advanceTimersByTimeAsync(1_000);

    expect(many()).toBe(32);
    expect(other()).toBe(1);
    await vi.advanceTimersByTimeAsync(4_000);
    expect(many()).toBe(100);
  });

  it('close a connection at once while too many wait, and make room when a client leaves', async () => {
    const wait = createSlowRefusals();
    const waiting = Array.from({ length: 128 }, newResponse);
    const sent = refuse(wait, 'a', waiting);

    const over = newResponse();
    await wait('a', fake<Response>(over));
    for (const response of waiting) response.emit('close');
    await vi.advanceTimersByTimeAsync(0);
    const next = newResponse();
    const nextSent = refuse(wait, 'a', [next]);
    await vi.advanceTimersByTimeAsync(32);

    expect(over.destroyed).toBe(true);
    expect([sent(), nextSent(), next.destroyed]).toEqual([128, 1, false]);
    expect(vi.getTimerCount()).toBe(0);
  });
});
