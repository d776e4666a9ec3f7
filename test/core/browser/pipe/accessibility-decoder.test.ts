import { describe, expect, it } from 'vitest';
import { createAccessibilityDecoder } from '../../../../src/core/browser/pipe/accessibility-decoder.ts';
import type { ResultRoom } from '../../../../src/core/browser/pipe/result-buffer.ts';

const ROOM: ResultRoom = {
  maxBytes: 1e9,
  take: () => true,
  give: () => undefined,
  addGarbage: () => undefined,
};
const NODES = [
  { nodeId: '1', name: { value: 'a ] } , " \\ \n é 😀' }, childIds: ['2', '3'] },
  { nodeId: '2', properties: [{ a: [] }, {}] },
  { nodeId: '3' },
];

function decode(text: string, pieceLength: number): { readonly lines: unknown[]; readonly rest: string } {
  const decoder = createAccessibilityDecoder(ROOM);
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += pieceLength) {
    const end = decoder.add(bytes.subarray(at, at + pieceLength));
    if (end === -1) continue;
    const decoded = decoder.finish();
    if (decoded.outcome !== 'whole') throw new Error(decoded.outcome);
    const lines = decoded.bytes.toString().split('\n').slice(0, -1);
    return { lines: lines.map((line): unknown => JSON.parse(line)), rest: bytes.toString('utf8', at + end) };
  }
  throw new Error('it has no end');
}

describe('a decoder of DOM nodes', () => {
  it.each([1, 2, 7, 64, 100_000])('writes one line per node, in chunks of %i bytes', (length) => {
    const text = `${JSON.stringify(NODES).slice(1)}},"sessionId":"A"}`;

    expect(decode(text, length)).toEqual({ lines: NODES, rest: ']},"sessionId":"A"}'.slice(0) });
  });

  it('writes nothing for an empty list', () => {
    expect(decode(']}', 10).lines).toEqual([]);
  });

  it('omits a node that is too large, and continues', () => {
    const text = JSON.stringify([NODES[0], { nodeId: '9', name: 'x'.repeat(2e6) }, NODES[2]]).slice(1);

    expect(decode(text, 65_536).lines).toEqual([NODES[0], NODES[2]]);
  });

  it('keeps the first 8 MB of nodes', () => {
    const nodes = Array.from({ length: 20 }, (_, index) => ({
      nodeId: `${index}`,
      name: 'x'.repeat(900_000),
    }));
    const { lines } = decode(JSON.stringify(nodes).slice(1), 65_536);

    expect(lines).toEqual(nodes.slice(0, 9));
  });
});
