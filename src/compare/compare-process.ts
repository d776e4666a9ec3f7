// The child process of all comparisons.
import { type Call, serveCalls } from '../processes/peer-calls.ts';
import { type CompareCall, comparePictures, type CompareResult } from './pictures/compare-pictures.ts';

/** Size of both files from which garbage is collected first. Smaller comparisons would take longer by it. */
const LARGE_BYTES = 2_000_000;

serveCalls({
  run: async ({ args: [call] }: Call<[CompareCall]>): Promise<CompareResult> => {
    // Two bitmaps of a long page have 200 MB. Without this, those of two comparisons were there at once (2026-11-27).
    if (call.before.bytes.length + call.after.bytes.length > LARGE_BYTES) globalThis.gc?.();
    return await comparePictures(call);
  },
});
