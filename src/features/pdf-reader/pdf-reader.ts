import { ServiceError } from '../../core/ground/errors.ts';
import { LIMIT_MS } from '../../core/ground/time-limits.ts';
import { withTimeout } from '../../core/ground/timeouts.ts';
import { createCalls } from '../../core/processes/peer-calls.ts';
import { startProcess } from '../../core/processes/peers.ts';
import type { PageDrawing } from './draw-page.ts';
import { type PdfProblem, PdfProblemError } from './open-document.ts';
import type { PdfContents, PdfPicture, PdfRange } from './pdf-contents.ts';
import type { Showing, ShownDocument } from './show-document.ts';

const PROCESS = new URL('pdf-process', import.meta.url);
const MAX_HEAP_MB = 512;
/** Of the whole process: the pixels of the largest picture take 200 MB, and as much again as a file. */
const MAX_BYTES = 1_500_000_000;

/** Reads documents in a process of its own, one after the other. The caller closes it. */
export interface PdfReader {
  /** @throws PdfProblemError if the document can't be read; ServiceError TimeoutError after `LIMIT_MS.render` */
  readonly read: (body: Uint8Array, range: PdfRange) => Promise<PdfContents>;
  /**
   * Undefined if there is no such page, or the picture would be too large.
   * @throws Error as `read`
   */
  readonly draw: (body: Uint8Array, drawing: PageDrawing) => Promise<PdfPicture | undefined>;
  /** @throws PdfProblemError as `read`; ServiceError TimeoutError after `LIMIT_MS.convert` */
  readonly show: (body: Uint8Array, showing: Showing) => Promise<ShownDocument>;
  readonly close: () => Promise<void>;
}

type Answer<T> = { readonly value: T } | { readonly problem: PdfProblem };

/** Creates a reader. Its process starts with the first call, and again after a call that has failed. */
export function createPdfReader(): PdfReader {
  const calls = createCalls({
    name: 'the process that reads documents',
    start: () => startProcess(PROCESS, { execArgv: [`--max-old-space-size=${MAX_HEAP_MB}`], maxBytes: MAX_BYTES }),
  });
  const call = async <T>(name: string, args: readonly unknown[], limitMs = LIMIT_MS.render): Promise<T> => {
    const late = (): Error => {
      void calls.kill();
      return new ServiceError('TimeoutError', `The PDF could not be read within ${limitMs} ms`);
    };
    const answer: Answer<T> = await withTimeout(calls.call(name, args), limitMs, late);
    if ('problem' in answer) throw new PdfProblemError(answer.problem);
    return answer.value;
  };
  return {
    read: (body, range) => call('read', [body, range]),
    draw: (body, drawing) => call('draw', [body, drawing]),
    // Meanwhile the capture holds a page that others wait for.
    show: (body, showing) => call('show', [body, showing], LIMIT_MS.convert),
    close: calls.kill,
  };
}
