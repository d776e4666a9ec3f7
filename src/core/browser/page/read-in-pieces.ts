import type { CDPSession, Protocol } from 'puppeteer';
import type { Gathering } from '../pipe/gather-bytes.ts';
import type { PageClock } from './page-clock.ts';
import type { PipeTransport } from '../pipe/pipe-transport.ts';

/**
 * Size of a piece. A whole document in one answer would block the browser for all pages, 4 s for 140 MB, and need twice
 * the memory. Slightly less than the decoder's largest initial buffer.
 */
const PIECE_BYTES = 4_128_768;

interface CallsForBytes {
  readonly 'Page.captureScreenshot': Protocol.Page.CaptureScreenshotRequest;
  readonly 'Page.captureSnapshot': Protocol.Page.CaptureSnapshotRequest;
}

/** Calls whose binary answers are taken out of their messages by the transport. Otherwise like `Page.send`. */
export interface PieceReader {
  /** Returns the picture or the saved page. */
  readonly sendForBytes: <Method extends keyof CallsForBytes>(
    method: Method,
    params: CallsForBytes[Method],
  ) => Promise<Buffer>;
  /** Like `sendForBytes`, for one of several pictures: the memory stays reserved until the page is closed. */
  readonly sendForPart: PieceReader['sendForBytes'];
  /** Returns the bytes of a stream of the browser, and closes it. */
  readonly readStream: (handle: Protocol.IO.StreamHandle) => Promise<Buffer>;
  /** Returns the PDF of Page.printToPDF, read in pieces. */
  readonly printToPdf: (params: Protocol.Page.PrintToPDFRequest) => Promise<Buffer>;
  /**
   * Returns the accessibility tree of a frame, level by level, as JSON with one node per line. Large trees are cut at
   * the bottom.
   */
  readonly readAccessibility: (frameId: string) => Promise<Buffer>;
}

export function createPieceReader(
  send: CDPSession['send'],
  { takeBytes, gatherBytes }: Pick<PipeTransport, 'takeBytes' | 'gatherBytes'>,
  { signal, clock }: { readonly signal: AbortSignal; readonly clock: Pick<PageClock, 'hold'> },
): PieceReader {
  let parts: Gathering | undefined;
  const gatherParts = (): Gathering => {
    const gathering = gatherBytes(Infinity); // the encoded picture is limited, and often much smaller
    signal.addEventListener('abort', () => gathering[Symbol.dispose]());
    return gathering;
  };
  const readStream = async (handle: Protocol.IO.StreamHandle): Promise<Buffer> => {
    using gathering = gatherBytes();
    try {
      for (;;) {
        const { data, eof } = await send('IO.read', { handle, size: PIECE_BYTES });
        gathering.add(data);
        if (eof) return gathering.whole();
      }
    } finally {
      send('IO.close', { handle }).catch(() => undefined); // does not wait: an open handle ends with the session
    }
  };

  return {
    sendForBytes: async (method, params) => {
      const { data } = await send(method, params);
      return takeBytes(data);
    },
    sendForPart: async (method, params) => {
      const { data } = await send(method, params);
      signal.throwIfAborted();
      return (parts ??= gatherParts()).add(data);
    },
    readStream,
    printToPdf: async (params) => {
      const letGo = await clock.hold(false); // no grant of page time can end while the page is printed: up to a minute
      const printed = send('Page.printToPDF', { ...params, transferMode: 'ReturnAsStream' });
      const { stream } = await printed.finally(letGo);
      return stream === undefined ? Buffer.alloc(0) : await readStream(stream);
    },
    readAccessibility: async (frameId) => {
      const [taken]: readonly unknown[] = (await send('Accessibility.getFullAXTree', { frameId })).nodes;
      return takeBytes(String(taken));
    },
  };
}
