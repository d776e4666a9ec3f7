import { describe, expect, it } from 'vitest';
import type { ResultRoom } from '../../../../src/core/browser/pipe/result-buffer.ts';
import { createTextDecoder } from '../../../../src/core/browser/pipe/text-decoder.ts';

const ROOM: ResultRoom = {
  maxBytes: 10_000,
  take: () => true,
  give: () => undefined,
  addGarbage: () => undefined,
};
const TEXT = 'From: "a" \\ \\" \\\\" line\r\nnext\ttab é \ud83d\ude00 \u0001 \\ud83d \\u00e9 \\\\u00e9 end\\';
/** The text as the browser writes it: pure ASCII. */
const ASCII = JSON.stringify(TEXT).replaceAll(
  /[\u007f-\uffff]/g,
  (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
);

describe('a text decoder', () => {
  it.each([
    ['as ASCII', ASCII, 1],
    ['as ASCII', ASCII, 2],
    ['as ASCII', ASCII, 3],
    ['as ASCII', ASCII, 5],
    ['as ASCII', ASCII, 11],
    ['as ASCII', ASCII, 1_000],
    ['as UTF-8', JSON.stringify(TEXT), 1],
    ['as UTF-8', JSON.stringify(TEXT), 7],
  ])('returns the text, written %s, and its end: %#', (_how, written, size) => {
    const decoder = createTextDecoder(ROOM);
    const bytes = Buffer.from(`${written.slice(1)},"sessionId":"A"}`);

    let end = -1;
    let at = 0;
    for (; end === -1 && at < bytes.length; at += size) end = decoder.add(bytes.subarray(at, at + size));
    const decoded = decoder.finish();

    expect(at - size + end).toBe(Buffer.byteLength(written) - 2);
    expect(decoded.outcome === 'whole' && decoded.bytes.toString()).toBe(TEXT);
  });

  it('returns nothing of a text over the limit, and still finds its end', () => {
    const decoder = createTextDecoder(ROOM);

    const ends = [Buffer.alloc(20_000, 'x'), Buffer.from('\\"x"}')].map((piece) => decoder.add(piece));

    expect(ends).toEqual([-1, 3]);
    expect(decoder.finish().outcome).toBe('too large');
  });
});
