import type { CDPSession, Protocol } from 'puppeteer';
import type { PipeTransport } from '../pipe/pipe-transport.ts';

/**
 * One answer with all of a document would stop the browser for all of its pages while it is made, 4 s for 140 MB, and takes twice the
 * memory there. A little less than the decoder's largest first guess.
 */
const PIECE_BYTES = 4_128_768;

interface CallsForBytes {
  readonly 'Page.captureScreenshot': Protocol.Page.CaptureScreenshotRequest;
  readonly 'Page.captureSnapshot': Protocol.Page.CaptureSnapshotRequest;
}

/** Calls of a page whose answers the transport takes out of their messages; as `Page.send`. */
export interface LargeAnswers {
  /** The picture, or the saved page. */
  readonly sendForBytes: <Method extends keyof CallsForBytes>(
    method: Method,
    params: CallsForBytes[Method],
  ) => Promise<Buffer>;
  /** The document that Page.printToPDF makes, taken from the browser piece by piece. */
  readonly printToPdf: (params: Protocol.Page.PrintToPDFRequest) => Promise<Buffer>;
  /** The accessibility tree, level by level: JSON, a line for each node. Of a large one the top. */
  readonly readAccessibility: () => Promise<Buffer>;
}

export function createLargeAnswers(
  send: CDPSession['send'],
  { takeBytes, gatherBytes }: Pick<PipeTransport, 'takeBytes' | 'gatherBytes'>,
): LargeAnswers {
  const readStream = async (handle: Protocol.IO.StreamHandle): Promise<Buffer> => {
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

  return {
    sendForBytes: async (method, params) => {
      const { data } = await send(method, params);
      return takeBytes(data);
    },
    printToPdf: async (params) => {
      const { stream } = await send('Page.printToPDF', { ...params, transferMode: 'ReturnAsStream' });
      return stream === undefined ? Buffer.alloc(0) : await readStream(stream);
    },
    readAccessibility: async () => {
      const [taken]: readonly unknown[] = (await send('Accessibility.getFullAXTree')).nodes;
      return takeBytes(String(taken));
    },
  };
}
