import type { CDPSession } from 'puppeteer-core';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createFrameClock, type FrameClock, type PageFrames } from '../../src/browser/frame-clock.ts';
import { fake } from '../support/fake.ts';

const PNG = { format: 'png' } as const;

interface Frame {
  readonly screenshot?: object;
  readonly end: (answer?: { screenshotData?: string }) => void;
  readonly fail: () => void;
}

/** A page whose frames come back at once, or when the test says so. */
function createPage(clock: FrameClock, { atOnce = true } = {}) {
  const over = new AbortController();
  const asked: Frame[] = [];
  const send = async (_method: string, params?: { screenshot?: object }): Promise<object> => {
    const { promise, resolve, reject } = Promise.withResolvers<object>();
    asked.push({
      ...params,
      end: (answer = {}) => resolve(answer),
      fail: () => reject(new Error('no such page')),
    });
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
    expect(asked.length - before).toBe(11); // one at once, then every 16 ms
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

  it('have shown the loaded page once when loaded() resolves', async () => {
    const { frames, asked } = createPage(clock, { atOnce: false });
    frames.begin();
    await vi.advanceTimersByTimeAsync(250);
    const loaded = frames.loaded(); // one has begun before
    asked[0]?.end();
    expect(await isDone(loaded)).toBe(false);
    expect(asked).toHaveLength(2);

    asked[1]?.end();

    expect(await isDone(loaded)).toBe(true);
  });

  it('come one after the other for a screenshot', async () => {
    const { frames, asked } = await loadedPage();

    frames.hurry();
    await vi.advanceTimersByTimeAsync(1);

    expect(asked).toHaveLength(1 + 3);
  });

  it('are as far apart as they are slow', async () => {
    const { frames, asked } = createPage(clock, { atOnce: false });
    frames.begin();
    void frames.loaded();
    await vi.advanceTimersByTimeAsync(200);
    asked[0]?.end();
    await vi.advanceTimersByTimeAsync(399);
    expect(asked).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(asked).toHaveLength(2);
  });

  it('give the next one as a picture', async () => {
    const { frames, asked } = createPage(clock, { atOnce: false });
    frames.begin();
    const picture = frames.picture(PNG);
    await vi.advanceTimersByTimeAsync(0);
    expect(asked.map(({ screenshot }) => screenshot)).toEqual([PNG]);

    asked[0]?.end({ screenshotData: 'AAAA' });

    expect(await picture).toBe('AAAA');
  });

  it.each([
    ['gives none', (frame: Frame) => frame.end()],
    ['fails', (frame: Frame) => frame.fail()],
  ])('give undefined when it %s', async (_what, finish) => {
    const { frames, asked } = createPage(clock, { atOnce: false });
    frames.begin();
    const picture = frames.picture(PNG);
    await vi.advanceTimersByTimeAsync(0);
    const [frame] = asked;

    if (frame !== undefined) finish(frame);

    expect(await picture).toBeUndefined();
  });

  it('give undefined when the page is over', async () => {
    const { frames, end } = createPage(clock);
    const late = createPage(clock);
    late.end();
    const picture = frames.picture(PNG); // it has not begun
    frames.begin();
    end();

    expect(await picture).toBeUndefined();
    expect(await late.frames.picture(PNG)).toBeUndefined();
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

  /** One that has had its first frame. */
  async function loadedPage() {
    const page = createPage(clock);
    show(page.frames);
    await vi.advanceTimersByTimeAsync(1);
    expect(page.asked).toHaveLength(1);
    return page;
  }
});
