import { describe, expect, it } from 'vitest';
import { createKeySlots } from '../../src/capture/key-slots.ts';

const TWO = { id: 'two', concurrency: 2 };
const never = new AbortController().signal;

/** Resolves to false while the promise is pending. */
const hasSettled = (promise: Promise<unknown>): Promise<boolean> =>
  Promise.race([
    promise.then(
      () => true,
      () => true,
    ),
    new Promise<boolean>((resolve) => setImmediate(resolve, false)),
  ]);

describe('createKeySlots', () => {
  it('lets a key run its number of captures at once, and the next in their order', async () => {
    const slots = createKeySlots();
    const [first, second] = [await slots.take(TWO, never), await slots.take(TWO, never)];
    const [third, fourth] = [slots.take(TWO, never), slots.take(TWO, never)];
    expect([await hasSettled(third), await hasSettled(fourth)]).toEqual([false, false]);

    first();
    expect([await hasSettled(third), await hasSettled(fourth)]).toEqual([true, false]);
    second();
    expect(await hasSettled(fourth)).toBe(true);
  });

  it('does not limit other keys', async () => {
    const slots = createKeySlots();
    for (let n = 0; n < 2; n++) await slots.take(TWO, never);

    const free = { id: 'free', concurrency: undefined };
    const others = [{ id: 'other', concurrency: 1 }, free, free, free, undefined];
    const taken = others.map((key) => hasSettled(slots.take(key, never)));

    expect(await Promise.all(taken)).toEqual(others.map(() => true));
  });

  it('gives the slot of a capture that was given up to the next one', async () => {
    const slots = createKeySlots();
    const one = { id: 'one', concurrency: 1 };
    const release = await slots.take(one, never);
    const [gone, late] = [new AbortController(), new AbortController()];
    const waiting = [slots.take(one, gone.signal), slots.take(one, late.signal), slots.take(one, never)];
    gone.abort(new Error('gone'));
    await expect(waiting[0]).rejects.toThrow('gone');

    release();
    late.abort(new Error('late')); // it has its slot by now
    const [, , third] = waiting;
    const second = await waiting[1]?.catch(() => undefined);
    second?.();

    expect(third && (await hasSettled(third))).toBe(true);
  });
});
