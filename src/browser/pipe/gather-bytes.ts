import { resultTooLarge } from '../../errors.ts';
import type { ResultRoom, WholeBytes } from './result-buffer.ts';

/** A document that comes in pieces, each in an answer of its own. Dispose of it in any case: until then it keeps its room. */
export interface Gathering extends Disposable {
  /**
   * @param data what stands for the bytes in an answer; see `PipeTransport.takeBytes`.
   * @throws ServiceError ResultTooLargeError as soon as the pieces come to too much; as `take`.
   */
  readonly add: (data: string) => void;
  /** All of it, once. */
  readonly whole: () => Buffer;
}

/** @param take the bytes of one answer, whose room is then held here. */
export function gatherBytes(take: (data: string) => WholeBytes | undefined, room: ResultRoom): Gathering {
  const held: WholeBytes[] = [];
  let length = 0;

  return {
    add: (data) => {
      const piece = take(data);
      if (piece === undefined) return;
      held.push(piece);
      length += piece.bytes.length;
      if (length > room.maxBytes) throw resultTooLarge(room.maxBytes);
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
      if (held.length > 1) room.litter(length);
      held.length = 0;
    },
  };
}
