import { resultTooLarge } from '../../ground/errors.ts';
import type { ResultRoom, WholeBytes } from './result-buffer.ts';

/**
 * Collects a document that arrives in several answers. Always dispose of it, because it holds its memory until then.
 */
export interface Gathering extends Disposable {
  /**
   * Returns the bytes of this answer.
   * @param data placeholder of the bytes in an answer, see `PipeTransport.takeBytes`
   * @throws ServiceError ResultTooLargeError as soon as the pieces exceed the limit, and the errors of `take`
   */
  readonly add: (data: string) => Buffer;
  /** Returns the bytes of all answers. Call it once. */
  readonly whole: () => Buffer;
}

/**
 * @param take returns the bytes of one answer. Their memory is counted here from then on
 * @param maxBytes limit of all answers together
 */
export function gatherBytes(
  take: (data: string) => WholeBytes | undefined,
  room: ResultRoom,
  maxBytes = room.maxBytes,
): Gathering {
  const held: WholeBytes[] = [];
  let length = 0;

  return {
    add: (data) => {
      const piece = take(data);
      if (piece === undefined) return Buffer.alloc(0);
      held.push(piece);
      length += piece.bytes.length;
      if (length > maxBytes) throw resultTooLarge(maxBytes);
      return piece.bytes;
    },
    whole: () => {
      const [only] = held;
      return held.length === 1 && only !== undefined
        ? only.bytes
        : Buffer.concat(
            held.map(({ bytes }) => bytes),
            length,
          );
    },
    [Symbol.dispose]: () => {
      for (const { give } of held) give();
      if (held.length > 1) room.addGarbage(length);
      held.length = 0;
    },
  };
}
