import { describe, expect, it } from 'vitest';
import { createEncodeLimit } from '../../../../../src/core/capture/formats/pictures/encode-limit.ts';

const never = new AbortController().signal;

/** Returns work that the test ends, and the order in which it began. */
function createWork() {
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  return {
    started,
    end: (name: string) => ends.get(name)?.(),
    of: (name: string) => () => {
      started.push(name);
      return new Promise<void>((resolve) => ends.set(name, resolve));
    },
  };
}

describe('createEncodeLimit', () => {
  it.each([
    [1, ['a']],
    [2, ['a']],
    [3, ['a', 'b']],
    [64, ['a', 'b']],
  ])('limits concurrent encodings on %d cores: %j', async (cores, atOnce) => {
    const limit = createEncodeLimit(cores);
    const work = createWork();

    const all = ['a', 'b', 'c'].map((name) => limit(work.of(name), { isLarge: false, signal: never }));
    await new Promise(setImmediate);

    expect(work.started).toEqual(atOnce);
    for (const name of ['a', 'b', 'c']) {
      work.end(name);
      await new Promise(setImmediate);
    }
    await Promise.all(all);
  });

  it('encodes one large picture at a time, without blocking others', async () => {
    const limit = createEncodeLimit(2);
    const work = createWork();

    const all = ['large', 'also large'].map((name) => limit(work.of(name), { isLarge: true, signal: never }));
    const small = limit(work.of('small'), { isLarge: false, signal: never });
    await new Promise(setImmediate);

    expect(work.started).toEqual(['large', 'small']);
    work.end('small');
    await small;
    work.end('large');
    await all[0];
    await new Promise(setImmediate);
    expect(work.started).toEqual(['large', 'small', 'also large']);
    work.end('also large');
    await all[1];
  });

  it('never starts an encoding whose client has disconnected', async () => {
    const limit = createEncodeLimit(1);
    const work = createWork();
    const leaving = new AbortController();
    const first = limit(work.of('first'), { isLarge: false, signal: never });

    const second = limit(work.of('second'), { isLarge: false, signal: leaving.signal });
    leaving.abort(new Error('gone'));
    await expect(second).rejects.toThrow('gone');
    await new Promise(setImmediate);
    work.end('first');
    await first;
    await new Promise(setImmediate);

    expect(work.started).toEqual(['first']);
  });
});
