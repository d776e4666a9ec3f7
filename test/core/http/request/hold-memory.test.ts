import { EventEmitter } from 'node:events';
import type { Response } from 'express';
import { describe, expect, it } from 'vitest';
import type { CaptureOptions } from '../../../../src/core/capture/request/options.ts';
import { createFileMemory } from '../../../../src/core/http/answers/send-file.ts';
import { holdMemory, holdPage } from '../../../../src/core/http/request/hold-memory.ts';
import { createMemoryBudget } from '../../../../src/core/ground/memory-budget.ts';
import { fake } from '../../../support/fake.ts';

const BUFFERS = 131_072;

/** A response of the client `shop` whose request had a body of this size. */
function createResponse(bodyBytes = 0) {
  const events = Object.assign(new EventEmitter(), {
    destroyed: false,
    locals: { context: { bodyBytes, client: 'shop' } },
  });
  return { response: fake<Response>(events), events };
}

describe('holdMemory', () => {
  it('holds memory until the answer ends, by one listener', () => {
    const { response, events } = createResponse();
    const budget = createMemoryBudget(100);
    const hold = holdMemory(response, budget, 'shop');

    expect([hold(20), hold(30), hold(60)]).toEqual([true, true, false]);
    expect([budget.state().usedBytes, events.listenerCount('close')]).toEqual([50, 1]);
    events.emit('close');
    expect(budget.state().usedBytes).toBe(0);
  });

  it('holds nothing for a client that has left', () => {
    const { response, events } = createResponse();
    const budget = createMemoryBudget(100);
    events.destroyed = true;

    expect(holdMemory(response, budget, 'shop')(1)).toBe(false);
    expect(budget.state().usedBytes).toBe(0);
  });
});

describe('createFileMemory', () => {
  it('takes the share of the client only', () => {
    const { response, events } = createResponse();
    const budget = createMemoryBudget(20 * BUFFERS);
    const take = createFileMemory(response, budget);

    for (let file = 0; file < 15; file++) take();
    expect(() => take()).toThrow('Too many large answers');
    expect(events.listenerCount('close')).toBe(1);
    expect(budget.take(BUFFERS, 'other')).toBe(true);
  });
});

describe('holdPage', () => {
  it.each([
    [3_000, 3_000, 0],
    [3_000, 50_000, 47_000],
    [0, 50_000, 50_000],
  ])('counts what a page has more than its body of %d bytes: %d', (bodyBytes, length, counted) => {
    const budget = createMemoryBudget(100_000);

    holdPage(createResponse(bodyBytes).response, fake<CaptureOptions>({ html_content: 'x'.repeat(length) }), budget);

    expect(budget.state().usedBytes).toBe(counted);
  });

  it('refuses a page for which there is no memory', () => {
    const page = fake<CaptureOptions>({ html_content: 'x'.repeat(2_000) });

    expect(() => holdPage(createResponse().response, page, createMemoryBudget(1_000))).toThrow('Too many large');
  });
});
