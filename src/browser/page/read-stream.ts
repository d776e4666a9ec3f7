import type { CDPSession, Protocol } from 'puppeteer';
import type { PipeTransport } from '../pipe/pipe-transport.ts';

/**
 * One answer with all of a document would stop the browser for all of its pages while it is made, 4 s for 140 MB, and takes twice the
 * memory there. A little less than the decoder's largest first guess.
 */
const PIECE_BYTES = 4_128_768;

/**
 * All of a stream that the browser keeps, piece by piece. A stream that is not read to its end goes with its session.
 * @throws as `send` and `Gathering.add`.
 */
export async function readStream(
  handle: Protocol.IO.StreamHandle,
  send: CDPSession['send'],
  gatherBytes: PipeTransport['gatherBytes'],
): Promise<Buffer> {
  using gathering = gatherBytes();
  try {
    for (;;) {
      const { data, eof } = await send('IO.read', { handle, size: PIECE_BYTES });
      gathering.add(data);
      if (eof) return gathering.whole();
    }
  } finally {
    send('IO.close', { handle }).catch(() => undefined); // nobody waits for that
  }
}
