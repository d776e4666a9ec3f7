import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { answerBytes, encodeJson } from '../../../src/core/capture/answer.ts';
import type { Captured } from '../../../src/core/capture/capture-on-page.ts';
import { parseOptions } from '../../../src/core/capture/request/parse-options.ts';
import { resultWith } from '../../support/stored-capture.ts';

const MISLEADING = 'https://example.com/?a=,"base64":"AAAA"';
const { capture: OPTIONS } = parseOptions(
  { url: MISLEADING, response_type: 'json', include: ['links'] },
  { maxWaitMs: 1_000 },
);
const LINKS = { links: [{ url: MISLEADING }] };

function capturedWith(file: Buffer): Captured {
  const sha256 = createHash('sha256').update(file).digest('hex');
  return resultWith({
    file,
    parts: new Map([['links', Buffer.from(JSON.stringify(LINKS))]]),
    facts: { targetUrl: MISLEADING, requestId: MISLEADING, sha256 },
  });
}

describe('encodeJson', () => {
  it.each([0, 1, 2, 3, 4, 5, 786_431, 786_432, 2_000_001])(
    'returns a file of %d bytes in base64 with its parts and metadata',
    async (length) => {
      const file = Buffer.from(Array.from({ length }, (_, index) => index % 251));
      const captured = capturedWith(file);

      const body = await encodeJson(captured, 'png');

      expect(body).toHaveLength(answerBytes(OPTIONS, captured));
      expect(JSON.parse(body.toString())).toEqual({
        request_id: MISLEADING,
        target: { url: MISLEADING, status: 200 },
        file: {
          content_type: 'image/png',
          bytes: length,
          sha256: captured.facts.sha256,
          width: 3,
          height: 2,
          base64: file.toString('base64'),
        },
        links: LINKS,
        warnings: [],
        timings: { queue: 0, navigate: 1.3, ahead: 0, wait: 20, render: 3.1 },
      });
    },
  );

  it('has a link instead of the content of a stored file, and nothing else changes', async () => {
    const captured = capturedWith(Buffer.from('picture'));
    const { file, ...others } = JSON.parse((await encodeJson(captured, 'png')).toString());
    const { base64: _, ...facts } = file;

    const stored = await encodeJson(captured, 'png', [{ url: MISLEADING, path: 'a' }]);

    expect(JSON.parse(stored.toString())).toEqual({
      ...others,
      file: { ...facts, url: MISLEADING, path: 'a' },
    });
  });
});
