import type { Readable } from 'node:stream';
import type { Response } from 'express';
import type { MemoryBudget } from '../../ground/memory-budget.ts';
import { holdMemory } from '../request/hold-memory.ts';
import { contextOf } from '../request/request-context.ts';
import { noRoomForAnswers } from './send-body.ts';

/** If a client reads nothing for this time, its connection and file are closed. */
const STALL_LIMIT_MS = 30_000;

/** Buffers of the file and of the connection. */
const BUFFER_BYTES = 131_072;

/**
 * Returns the function that counts the memory of a stored file for the client until the answer ends. Call it before the
 * file is opened: 2,000 clients that read slowly kept 2 GB of job results. It takes the number of bytes that are held
 * back besides the buffers, and throws a ServiceError OverloadedError if there is no room.
 */
export function createFileMemory(response: Response, budget: MemoryBudget): (heldBytes?: number) => void {
  const hold = holdMemory(response, budget, contextOf(response).client);
  return (heldBytes = 0) => {
    if (!hold(BUFFER_BYTES + heldBytes)) throw noRoomForAnswers();
  };
}

interface SentFile {
  readonly body: Readable;
  /** Length of the body. */
  readonly bytes: number;
}

/**
 * Sends a stored file, with one piece in memory at a time. The headers are set already. Resolves when the file is sent
 * or the client disconnects. A read error destroys the connection, so that the client notices the missing bytes.
 */
export async function sendFile({ body, bytes }: SentFile, response: Response): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    response.once('close', () => {
      body.destroy();
      resolve();
    });
  });
  const drained = (): Promise<void> => new Promise((resolve) => void response.once('drain', resolve));
  response.setTimeout(STALL_LIMIT_MS, () => response.destroy());
  let left = bytes;
  try {
    for await (const piece of body) {
      if (response.destroyed) return;
      const chunk: Buffer = piece;
      left -= chunk.length;
      if (left <= 0) {
        // Ends the answer with the last piece: a client that has all announced bytes may close before the next event
        // loop turn.
        response.end(chunk);
        return;
      }
      if (!response.write(chunk)) await Promise.race([drained(), closed]);
    }
  } catch (error) {
    contextOf(response).log.debug({ err: error }, 'a stored result was not sent completely');
  }
  if (bytes === 0) response.end();
  else response.destroy();
}
