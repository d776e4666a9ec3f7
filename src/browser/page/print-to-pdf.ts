import type { CDPSession, Protocol } from 'puppeteer';
import type { PipeTransport } from '../pipe/pipe-transport.ts';

/**
 * One answer with all of a document would stop the browser for all of its pages while it is made, 4 s for 140 MB, and takes twice the
 * memory there. A little less than the decoder's largest first guess.
 */
const PIECE_BYTES = 4_128_768;

/** The document that Page.printToPDF makes, taken from the browser piece by piece; as `Page.send`. */
export type PrintToPdf = (params: Protocol.Page.PrintToPDFRequest) => Promise<Buffer>;

export function createPrintToPdf(
  send: CDPSession['send'],
  gatherBytes: PipeTransport['gatherBytes'],
): PrintToPdf {
  return async (params) => {
    const { stream: handle } = await send('Page.printToPDF', { ...params, transferMode: 'ReturnAsStream' });
    if (handle === undefined) return Buffer.alloc(0);
    using gathering = gatherBytes();
    try {
      for (;;) {
        const { data, eof } = await send('IO.read', { handle, size: PIECE_BYTES });
        gathering.add(data);
        if (eof) return gathering.whole();
      }
    } finally {
      send('IO.close', { handle }).catch(() => undefined); // nobody waits for that; what is left open goes with the session
    }
  };
}
