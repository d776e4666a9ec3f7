// The child process of all comparisons. Its pictures may be those of an attacker.
import { type Call, serveCalls } from '../../core/processes/peer-calls.ts';
import type { CompareAnswer, CompareCall } from './compare-call.ts';
import { comparePictures } from './compare-pictures.ts';
import { compareTexts } from './compare-texts.ts';
import { openPictures, type OpenPictures } from './open-pictures.ts';

/** Memory of both pictures from which garbage is collected at once. Smaller comparisons would take longer by it. */
const LARGE_BYTES = 50_000_000;

let opened: OpenPictures | undefined;

serveCalls({
  run: async ({ name, args }: Call): Promise<CompareAnswer<unknown>> => {
    if (name === 'texts') return compareTexts(String(args[0]), String(args[1]));
    if (name === 'open') {
      const call: CompareCall = args[0];
      const answer = await openPictures(call);
      if (!('value' in answer)) return answer;
      opened = answer.value;
      return { value: { bytes: opened.bytes } };
    }
    const pictures = opened;
    opened = undefined;
    if (pictures === undefined) throw new Error('no pictures are open');
    try {
      return await comparePictures(pictures);
    } finally {
      // Two bitmaps of a long page have 200 MB. Without this, those of two comparisons were there at once (2026-11-27).
      if (pictures.bytes > LARGE_BYTES) setImmediate(() => globalThis.gc?.());
    }
  },
});
