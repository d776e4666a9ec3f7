import { describe, expect, it } from 'vitest';
import type { WholeBytes } from '../../../../src/core/browser/pipe/result-buffer.ts';
import { gatherBytes } from '../../../../src/core/browser/pipe/gather-bytes.ts';

describe('an answer in chunks', () => {
  it('is joined in the order of arrival', () => {
    const { take } = pieces('first ', 'second ', 'third');
    using gathering = gatherBytes(take, roomOf(100));

    for (const key of ['0', '1', '2']) gathering.add(key);

    expect(gathering.whole().toString()).toBe('first second third');
  });

  it('is empty if nothing arrives in time', () => {
    using gathering = gatherBytes(() => undefined, roomOf(100));

    gathering.add('0');

    expect(gathering.whole()).toHaveLength(0);
  });

  it('is counted until it is disposed of, and then no longer', () => {
    const { take, given } = pieces('first ', 'second');
    const gathering = gatherBytes(take, roomOf(100));

    for (const key of ['0', '1']) gathering.add(key);
    gathering.whole();
    expect(given()).toBe(0);
    gathering[Symbol.dispose]();

    expect(given()).toBe(2);
  });

  it('is refused at the chunk that exceeds the limit', () => {
    const { take, given } = pieces('12345', '67890', '1');
    const gathering = gatherBytes(take, roomOf(10));
    for (const key of ['0', '1']) gathering.add(key);

    expect(() => gathering.add('2')).toThrow(
      expect.objectContaining({
        type: 'ResultTooLargeError',
        details: expect.stringContaining('10 bytes'),
      }),
    );
    gathering[Symbol.dispose]();

    expect(given()).toBe(3);
  });

  it('returns each chunk, and has the limit that the caller sets', () => {
    using gathering = gatherBytes(pieces('12345', '67890').take, roomOf(10), 9);

    expect(gathering.add('0').toString()).toBe('12345');
    expect(() => gathering.add('1')).toThrow(expect.objectContaining({ details: expect.stringContaining('9 bytes') }));
  });

  it('reports the joined buffer as garbage, but not a single chunk, which it hands over', () => {
    const garbageBytes = [['a'], ['a', 'bc']].map((texts) => {
      let sum = 0;
      const room = { ...roomOf(100), addGarbage: (bytes: number) => void (sum += bytes) };
      using gathering = gatherBytes(pieces(...texts).take, room);
      texts.forEach((_text, index) => gathering.add(`${index}`));
      gathering.whole();
      gathering[Symbol.dispose]();
      return sum;
    });

    expect(garbageBytes).toEqual([0, 3]);
  });
});

function pieces(...texts: readonly string[]): {
  readonly take: (data: string) => WholeBytes;
  readonly given: () => number;
} {
  let given = 0;
  return {
    take: (data) => ({
      outcome: 'whole',
      bytes: Buffer.from(texts[Number(data)] ?? ''),
      give: () => {
        given++;
      },
    }),
    given: () => given,
  };
}

function roomOf(maxBytes: number) {
  return { maxBytes, take: () => true, give: () => undefined, addGarbage: () => undefined };
}
