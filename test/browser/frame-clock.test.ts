import type { CDPSession } from 'puppeteer-core';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  createFrameClock,
  type FrameClock,
  type PageFrames,
  takesFrameClock,
} from '../../src/browser/frame-clock.ts';
import { fake } from '../support/fake.ts';

interface PageConduct {
  /** Frames come back at once, not when the test says so. */
  readonly atOnce?: boolean;
  /** When it is not busy. */
  readonly free?: Promise<object>;
}

function createPage(clock: FrameClock, { atOnce = true, free = Promise.resolve({}) }: PageConduct = {}) {
  const over = new AbortController();
  const asked: { readonly end: () => void }[] = [];
  const send = async (method: string): Promise<object> => {
    if (method !== 'HeadlessExperimental.beginFrame') return await free;
    const { promise, resolve } = Promise.withResolvers<object>();
    asked.push({ end: () => resolve({}) });
    if (atOnce) resolve({});
    return await promise;
  };
  const frames = clock.follow(fake<CDPSession>({ send: fake<CDPSession['send']>(send) }), over.signal);
  return { frames, asked, end: () => over.abort(new Error('over')) };
}

/** As its capture does. */
function show(frames: PageFrames): void {
  frames.begin();
  void frames.loaded();
}

/** Whether it has been resolved by now. */
async function isDone(promise: Promise<unknown>): Promise<boolean> {
  let done = false;
  void promise.then(() => {
    done = true;
  });
  await vi.advanceTimersByTimeAsync(0);
  return done;
}

describe('takesFrameClock', () => {
  it('is for headless shell, and for so few pages at once that turns do not hold them up', () => {
    const isElsewhere = process.platform === 'darwin';

    expect([takesFrameClock(true, 4), takesFrameClock(true, 5), takesFrameClock(false, 4)]).toEqual([
      !isElsewhere,
      false,
      false,
    ]);
  });
});

describe('the frames of a page', () => {
  let clock: FrameClock;
  beforeEach(() => {
    vi.useFakeTimers();
    clock = createFrameClock();
  });
  afterEach(() => void vi.useRealTimers());

  it('do not come before its capture begins, then few, then as many as on a screen', async () => {
    const { frames, asked } = createPage(clock);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(asked).toHaveLength(0);

    frames.begin();
    await vi.advanceTimersByTimeAsync(249);
    expect(asked).toHaveLength(0);
    await vi.advanceTimersByTimeAsync(331);
    expect(asked).toHaveLength(11); // every 33 ms

    const before = asked.length;
    void frames.loaded();
    await vi.advanceTimersByTimeAsync(160);
    expect(asked.length - before).toBe(12); // two at once, then every 16 ms
  });

  it('end with it', async () => {
    const { frames, asked, end } = createPage(clock);
    frames.begin();
    void frames.loaded();
    await vi.advanceTimersByTimeAsync(100);
    const before = asked.length;

    end();
    await vi.advanceTimersByTimeAsync(1_000);

    expect(asked).toHaveLength(before);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('have shown the loaded page twice when loaded() resolves', async () => {
    const { frames, asked } = createPage(clock, { atOnce: false });
    frames.begin();
    await vi.advanceTimersByTimeAsync(250);
    const loaded = frames.loaded(); // one has begun before
    asked[0]?.end();
    expect(await isDone(loaded)).toBe(false);
    expect(asked).toHaveLength(2);

    asked[1]?.end();
    expect(await isDone(loaded)).toBe(false);

    asked[2]?.end();

    expect(await isDone(loaded)).toBe(true);
  });

  it('come one after the other for a screenshot', async () => {
    const { frames, asked } = await loadedPage();

    frames.hurry();
    await vi.advanceTimersByTimeAsync(1);

    expect(asked).toHaveLength(2 + 3);
  });

  it('are as far apart as they are slow', async () => {
    const { frames, asked } = createPage(clock, { atOnce: false });
    frames.begin();
    await vi.advanceTimersByTimeAsync(250 + 200);
    asked[0]?.end(); // it took 200 ms
    await vi.advanceTimersByTimeAsync(399);
    expect(asked).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(asked).toHaveLength(2);
  });

  it('end with it also while one is out, and whoever waits for it goes on', async () => {
    const { frames, end } = createPage(clock, { atOnce: false });
    frames.begin();
    const loaded = frames.loaded();
    await vi.advanceTimersByTimeAsync(10);

    end();

    expect(await isDone(loaded)).toBe(true);
    expect(await isDone(frames.loaded())).toBe(true);
  });

  it('show each document that has loaded', async () => {
    const { frames, asked } = createPage(clock, { atOnce: false });
    show(frames);
    await vi.advanceTimersByTimeAsync(0);
    const second = frames.loaded();
    asked[0]?.end(); // it has begun before
    await vi.advanceTimersByTimeAsync(0);
    asked[1]?.end();
    expect(await isDone(second)).toBe(false);

    asked[2]?.end();

    expect(await isDone(second)).toBe(true);
  });

  it('are not asked of a page that is busy, which holds up nobody', async () => {
    const { promise, resolve } = Promise.withResolvers<object>();
    const [busy, other] = [createPage(clock, { free: promise }), createPage(clock)];
    for (const { frames } of [busy, other]) show(frames);
    await vi.advanceTimersByTimeAsync(100);
    expect([busy.asked.length, other.asked.length]).toEqual([0, 8]);

    resolve({});
    await vi.advanceTimersByTimeAsync(0);

    expect(busy.asked).toHaveLength(2);
  });

  it('never overlap with those of another page', async () => {
    const [first, second] = [createPage(clock, { atOnce: false }), createPage(clock, { atOnce: false })];
    for (const { frames } of [first, second]) show(frames);
    await vi.advanceTimersByTimeAsync(0);
    expect([first.asked.length, second.asked.length]).toEqual([1, 0]);

    first.asked[0]?.end();
    await vi.advanceTimersByTimeAsync(0);

    expect([first.asked.length, second.asked.length]).toEqual([1, 1]);
  });

  it('hold up those of others once when they do not come back, and are not asked for again', async () => {
    const [stuck, other] = [createPage(clock, { atOnce: false }), createPage(clock)];
    for (const { frames } of [stuck, other]) show(frames);
    await vi.advanceTimersByTimeAsync(249);
    expect(other.asked).toHaveLength(0);

    await vi.advanceTimersByTimeAsync(1_001);

    expect(other.asked.length).toBeGreaterThan(50);
    expect(stuck.asked).toHaveLength(1);
  });

  /** One that has been shown. */
  async function loadedPage() {
    const page = createPage(clock);
    show(page.frames);
    await vi.advanceTimersByTimeAsync(1);
    expect(page.asked).toHaveLength(2);
    return page;
  }
});
