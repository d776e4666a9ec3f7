import { ServiceError, resultTooLarge } from '../../core/ground/errors.ts';
import { callTwice } from '../../core/processes/call-once.ts';
import { isOutOfMemory, startProcess } from '../../core/processes/peers.ts';
import { LIMIT_MS } from '../../core/ground/time-limits.ts';
import type { Format } from '../../core/capture/formats/format.ts';
import { keepState } from '../../core/capture/formats/in-page/keep-state.ts';
import { keepTopLayer } from '../../core/capture/formats/in-page/keep-top-layer.ts';
import { writeOutSheets } from '../../core/capture/formats/in-page/write-out-sheets.ts';
import { unsavedResources } from './unsaved-resources.ts';
import { DRAWN, HIDDEN, SHEET, SOURCES, WRITTEN } from './kept-attributes.ts';

const BUNDLER = new URL('bundle-process', import.meta.url);
const MAX_HEAP_MB = 768;
const KEPT = { drawn: DRAWN, sources: SOURCES, hidden: HIDDEN, written: WRITTEN };
const startBundler = () =>
  startProcess(BUNDLER, { timeoutMs: LIMIT_MS.render, execArgv: [`--max-old-space-size=${MAX_HEAP_MB}`] });
/** Pixels of all canvases of a page together. */
const MOST_DRAWN = 50_000_000;

/** The page as one HTML file with all that it shows, for any browser, without the network and without scripts. */
export const singleHtml: Format = {
  mimeType: 'text/html; charset=utf-8',
  extension: 'html',
  isPainted: true,
  showsWholePage: true,
  needsTime: true,
  keepsDrawings: true,
  headers: { 'Content-Security-Policy': 'sandbox' },
  check: () => undefined,
  checkLoaded: async () => undefined,
  render: async (page, _options, { maxResultBytes }) => {
    await page.evaluate(writeOutSheets, SHEET);
    await page.evaluate(keepState, KEPT, MOST_DRAWN);
    await page.evaluate(keepTopLayer);
    const mhtml = await page.sendForBytes('Page.captureSnapshot', { format: 'mhtml' });
    if (mhtml.length === 0) throw new ServiceError('InternalServerError', 'The browser returned an empty document');
    const unsaved = await unsavedResources(page, mhtml, maxResultBytes);
    return {
      // A process of its own: a large page takes seconds.
      finish: async (signal) => {
        const made = callTwice(startBundler, [mhtml, unsaved, maxResultBytes], signal);
        const file: Uint8Array | undefined = await made.catch((error: unknown) => {
          if (isOutOfMemory(error)) return undefined;
          throw error;
        });
        if (file === undefined) throw resultTooLarge(maxResultBytes);
        return { body: Buffer.from(file.buffer, file.byteOffset, file.byteLength) };
      },
    };
  },
};
