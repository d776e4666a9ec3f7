import { PageStuckError, PrintingLostError } from '../browser/browser-errors.ts';
import type { WarningCode } from '../steps/common/step.ts';
import type { CaptureOptions } from './request/options.ts';

/** What is left out of a second try, as it is what the first was lost to, and the warning that says so. */
interface SecondTry {
  readonly without: Partial<CaptureOptions>;
  readonly warning?: WarningCode;
}

/**
 * @param lostTo what the first try was lost to; undefined for the first itself.
 */
export function secondTry({ format, pdf_tagged: isTagged }: CaptureOptions, lostTo: unknown): SecondTry {
  if (lostTo instanceof PageStuckError) return { without: { run_ahead: 0 }, warning: 'run_ahead_incomplete' };
  // Tags come on top of what a long document takes anyway: a table of 80,000 cells, on 430 pages, 3.4 GB of the renderer, and 3.8 with
  // tags (Chromium 153, 2026-11-22).
  if (lostTo instanceof PrintingLostError && format === 'pdf' && isTagged)
    return { without: { pdf_tagged: false, pdf_outline: false }, warning: 'tags_left_out' };
  return { without: {} };
}
