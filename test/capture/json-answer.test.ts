import { describe, expect, it } from 'vitest';
import { takeOutFile, toJsonAnswer } from '../../src/capture/json-answer.ts';
import { FORMATS } from '../../src/capture/formats/index.ts';
import { CAPTURE_RESULT } from '../support/stored-capture.ts';

const MISLEADING = 'https://example.com/?a=,"base64":"AAAA"';

describe('takeOutFile', () => {
  it.each([0, 1, 2, 3, 4, 5, 786_431, 786_432, 2_000_001])(
    'removes a file of %d bytes from an answer, and leaves the rest',
    async (length) => {
      const file = Buffer.from(Array.from({ length }, (_, index) => index % 251));
      const captured = { ...CAPTURE_RESULT, body: file, targetUrl: MISLEADING };
      const { body } = await toJsonAnswer(captured, {
        format: FORMATS.png,
        requestId: MISLEADING,
        maxResultBytes: 1e9,
        signal: new AbortController().signal,
      });
      const { base64: _, ...facts } = JSON.parse(body.toString()).file;

      const taken = await takeOutFile(body);
      const left = JSON.parse(taken.withInstead({ url: MISLEADING, path: 'a' }).toString());

      expect(taken.file.equals(file)).toBe(true);
      expect(left).toEqual({
        ...JSON.parse(body.toString()),
        file: { ...facts, url: MISLEADING, path: 'a' },
      });
    },
  );
});
