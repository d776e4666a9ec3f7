import { describe, expect, it } from 'vitest';
import { decodeCapture, encodeCapture } from '../../../src/parts/cache/capture-codec.ts';
import type { Parts } from '../../../src/core/feature.ts';
import { resultWith, storedCapture } from '../../support/stored-capture.ts';

describe('encodeCapture', () => {
  const capture = storedCapture(Buffer.from([0, 255, 10, 13, 0]));

  it('loses nothing', () => {
    expect(decodeCapture(encodeCapture(capture))).toEqual(capture);
  });

  it('loses no part, and not the metadata of a JSON answer', () => {
    const parts: Parts = new Map([
      ['links', Buffer.from('[]')],
      ['html', Buffer.from('{"text":"ä"}')],
    ]);
    const facts = { requestId: 'a', sha256: 'b' };
    const withParts = { ...capture, captured: resultWith({ parts, facts }) };

    expect(decodeCapture(encodeCapture(withParts))).toEqual(withParts);
  });

  it('distinguishes missing values from empty ones', () => {
    const { timings } = capture.captured.facts;
    const markup = {
      ...capture,
      captured: {
        file: Buffer.alloc(0),
        parts: new Map(),
        facts: { blockedRequests: 3, filteredRequests: 0, timings, warnings: ['fonts_not_ready' as const] },
      },
    };

    expect(decodeCapture(encodeCapture(markup))).toEqual(markup);
  });

  it.each([
    ['empty data', Buffer.alloc(0)],
    ['three bytes', Buffer.alloc(3)],
    ['a head that is not JSON', Buffer.from('\0\0\0\x02{"')],
    ['a head of another shape', Buffer.from('\0\0\0\x0a{"etag":1}')],
    ['a head with an unknown warning', edited('"warnings":[]', '"warnings":["toString"]')],
    ['an ETag that would end its header', edited('"tag\\"', '"tag\\r\\nX: y\\"')],
    ['an ETag without quotes', edited('\\"tag\\"', 'tag')],
    ['a part that is longer than the data', edited('"partBytes":[]', '"partBytes":[["links",9]]')],
    ['a head without its end', encodeCapture(capture).subarray(0, 40)],
  ])('rejects %s', (_name, bytes) => {
    expect(decodeCapture(bytes)).toBeUndefined();
  });
});

function edited(from: string, to: string): Buffer {
  const bytes = encodeCapture(storedCapture(Buffer.alloc(0)));
  const json = bytes.toString('utf8', 4).replace(from, to);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(json.length);
  return Buffer.concat([length, Buffer.from(json)]);
}
