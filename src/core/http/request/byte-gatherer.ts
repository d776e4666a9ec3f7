import { ServiceError } from '../../ground/errors.ts';

const RETRY_AFTER_SECONDS = 5;

/** Error for a body that is too large. */
export function tooLarge(maxBodyBytes: number): ServiceError {
  const details = `The body may have at most ${maxBodyBytes} bytes`;
  return new ServiceError('PayloadTooLargeError', undefined, { details });
}

/** Error for a body that finds no memory. */
export function noRoomForBody(): ServiceError {
  return new ServiceError('OverloadedError', 'Too many large request bodies at once', {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}

/** Collects bytes that arrive in pieces of any size: a body of ten megabytes may come as ten million pieces. */
export interface ByteGatherer {
  /** Adds bytes. False, without adding them, if there is not enough memory. */
  readonly add: (piece: Buffer) => boolean;
  /** Returns all bytes. Call it once. */
  readonly finish: () => Buffer;
}

const [FIRST_BLOCK_BYTES, LARGEST_BLOCK_BYTES] = [4_096, 1_048_576];

/** @param take reserves memory, before it is used */
export function createByteGatherer(take: (bytes: number) => boolean): ByteGatherer {
  let blocks: Buffer[] = [];
  let filled = 0; // used bytes of the last block
  let total = 0;

  return {
    add: (piece) => {
      for (let at = 0; at < piece.length;) {
        let block = blocks.at(-1);
        if (block === undefined || filled === block.length) {
          const size = Math.min(Math.max(FIRST_BLOCK_BYTES, total), LARGEST_BLOCK_BYTES);
          if (!take(size)) {
            blocks = [];
            return false;
          }
          block = Buffer.allocUnsafeSlow(size);
          blocks.push(block);
          filled = 0;
        }
        const copied = piece.copy(block, filled, at);
        filled += copied;
        total += copied;
        at += copied;
      }
      return true;
    },
    finish: () => {
      const all = Buffer.concat(blocks, total);
      blocks = [];
      return all;
    },
  };
}
