import type { Response } from 'express';

/**
 * Maximum refusals that one address gets in a second. With links of 64 KB, they cost less than a tenth of a processor.
 */
const PER_SECOND = 32;
/** Refusals of one address that may wait, each with the header of its request in memory. */
const MAX_WAITING = 128;
const MAX_WAITING_OF_ALL = 512;

/**
 * Returns a function that waits before a request is refused, so that an address gets its refusals one after the other,
 * however many connections it has. Otherwise a client that guesses could use a whole processor. Resolves at once when
 * the client leaves. A connection with too many waiting requests is closed.
 */
export function createSlowRefusals() {
  const waitingOf = new Map<string, number>();
  let waitingOfAll = 0;

  return async (address: string, response: Response): Promise<void> => {
    const waiting = (waitingOf.get(address) ?? 0) + 1;
    if (waiting > MAX_WAITING || waitingOfAll >= MAX_WAITING_OF_ALL) {
      response.destroy();
      return;
    }
    waitingOf.set(address, waiting);
    waitingOfAll++;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, (waiting * 1_000) / PER_SECOND);
      response.once('close', () => {
        clearTimeout(timer);
        resolve();
      });
    });
    waitingOfAll--;
    const left = (waitingOf.get(address) ?? 1) - 1;
    if (left === 0) waitingOf.delete(address);
    else waitingOf.set(address, left);
  };
}
