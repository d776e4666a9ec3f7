import type { Response } from 'express';
import type { StoredFile } from '../../storage/storage.ts';
import { contextOf } from '../request/request-context.ts';

/** Of a client that reads nothing: its connection and its file are given up. */
const STALL_LIMIT_MS = 30_000;

/**
 * Sends a stored file, of which no more is in memory than a piece. The headers are set by now. Resolves when it is handed over, or when the
 * client has gone; what can't be read to its end breaks the connection off, so that whoever reads sees by the missing bytes.
 */
export async function sendFile({ body, bytes }: StoredFile, response: Response): Promise<void> {
  const gone = new Promise<void>((resolve) => {
    response.once('close', () => {
      body.destroy();
      resolve();
    });
  });
  const drained = (): Promise<void> =>
    new Promise((resolve) => {
      response.once('drain', resolve);
    });
  response.setTimeout(STALL_LIMIT_MS, () => response.destroy());
  let left = bytes;
  try {
    for await (const piece of body) {
      if (response.destroyed) return;
      const chunk: Buffer = piece;
      left -= chunk.length;
      if (left <= 0) {
        // With the last piece at once: a client that has all that it was told of may close before another turn.
        response.end(chunk);
        return;
      }
      if (!response.write(chunk)) await Promise.race([drained(), gone]);
    }
  } catch (error) {
    contextOf(response).log.debug({ err: error }, 'a stored result was not sent to its end');
  }
  if (bytes === 0) response.end();
  else response.destroy();
}
