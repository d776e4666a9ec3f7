import { PageStuckError, PrintingLostError } from '../browser/browser-errors.ts';
import type { WarningCode } from '../steps/common/step.ts';
import type { CaptureOptions } from './request/options.ts';

/** Options to disable on the retry because they broke the first attempt, and the warning for them. */
interface RetryOptions {
  readonly without: Partial<CaptureOptions>;
  readonly warning?: WarningCode;
}

/** @param lostTo error of the first attempt; undefined for the first attempt */
export function retryOptions(
  { format, pdf_tagged: isTagged }: CaptureOptions,
  lostTo: unknown,
): RetryOptions {
  if (lostTo instanceof PageStuckError) return { without: { run_ahead: 0 }, warning: 'run_ahead_incomplete' };
  // Tags need memory in addition to the document: a table of 80,000 cells on 430 pages takes 3.4 GB in the renderer, 3.8 GB with tags
  // (Chromium 153, 2026-11-22).
  if (lostTo instanceof PrintingLostError && format === 'pdf' && isTagged)
    return { without: { pdf_tagged: false, pdf_outline: false }, warning: 'tags_left_out' };
  return { without: {} };
}
