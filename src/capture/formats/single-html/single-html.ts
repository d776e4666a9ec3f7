import { ServiceError, resultTooLarge } from '../../../errors.ts';
import { callOnce } from '../../../processes/peer-calls.ts';
import { startProcess } from '../../../processes/peers.ts';
import { LIMIT_MS } from '../../../time-limits.ts';
import type { Format } from '../format.ts';
import { keepState } from '../in-page/keep-state.ts';
import { writeOutSheets } from '../in-page/write-out-sheets.ts';
import { unsavedResources } from './unsaved-resources.ts';
import { DRAWN } from './drawn-attribute.ts';

const BUNDLER = new URL('bundle-process', import.meta.url);
const startBundler = () => startProcess(BUNDLER, { timeoutMs: LIMIT_MS.render });
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
    await page.evaluate(writeOutSheets);
    await page.evaluate(keepState, DRAWN, MOST_DRAWN);
    const mhtml = await page.sendForBytes('Page.captureSnapshot', { format: 'mhtml' });
    if (mhtml.length === 0) throw new ServiceError('InternalServerError', 'The browser returned an empty document');
    const unsaved = await unsavedResources(page, mhtml, maxResultBytes);
    return {
      // A process of its own: a large page takes seconds.
      finish: async (signal) => {
        const file: Uint8Array | undefined = await callOnce(startBundler, [mhtml, unsaved, maxResultBytes], signal);
        if (file === undefined) throw resultTooLarge(maxResultBytes);
        return { body: Buffer.from(file.buffer, file.byteOffset, file.byteLength) };
      },
    };
  },
};
