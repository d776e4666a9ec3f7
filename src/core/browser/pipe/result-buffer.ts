/** Memory for pictures and documents while they arrive. */
export interface ResultRoom {
  /** Maximum size of one result. */
  readonly maxBytes: number;
  /** Reserves memory. False if there is not enough at the moment. */
  readonly take: (bytes: number) => boolean;
  readonly give: (bytes: number) => void;
  /** Reports bytes that became garbage. */
  readonly addGarbage: (bytes: number) => void;
}

/** A picture, a document, or a piece of one. */
export interface WholeBytes {
  readonly outcome: 'whole';
  readonly bytes: Buffer;
  /** Releases the reservation, because the memory is counted elsewhere from here on. */
  readonly give: () => void;
}

/** Result of decoding an answer with bytes. */
export type DecodedBytes = WholeBytes | { readonly outcome: 'too large' | 'no room'; readonly give: () => void };

/** Bytes of a result that arrives in pieces. */
export interface ResultBuffer {
  readonly isRefused: () => boolean;
  /** Decodes the text and appends the bytes, at most `maxBytes`. */
  readonly write: (text: string, encoding: 'base64' | 'utf8' | 'latin1', maxBytes: number) => void;
  readonly finish: () => DecodedBytes;
}

const SMALL_BYTES = 65_536;
/**
 * Initial buffer size. Most pictures fit. Larger buffers would trigger a garbage collection for each picture, because
 * V8 counts allocated bytes, not used bytes.
 */
const LARGE_BYTES = 4_194_304;
const ROOM_STEP_BYTES = 1_048_576;

/** Drops the bytes if they exceed the available memory. */
export function createResultBuffer(room: ResultRoom): ResultBuffer {
  let decoded = Buffer.alloc(0);
  let length = 0;
  let taken = 0;
  let refusal: 'too large' | 'no room' | undefined;

  const give = (): void => {
    room.give(taken);
    taken = 0;
  };
  const refuse = (why: 'too large' | 'no room'): void => {
    refusal = why;
    room.addGarbage(decoded.length);
    decoded = Buffer.alloc(0);
    give();
  };

  const grow = (needed: number): void => {
    const largest = Math.min(LARGE_BYTES, room.maxBytes + ROOM_STEP_BYTES);
    const size = needed <= SMALL_BYTES ? SMALL_BYTES : Math.max(largest, 2 * decoded.length, needed);
    const larger = Buffer.allocUnsafeSlow(size);
    decoded.copy(larger, 0, 0, length);
    room.addGarbage(decoded.length); // a picture of 60 MB leaves 60 MB of garbage
    decoded = larger;
  };

  return {
    isRefused: () => refusal !== undefined,
    write: (text, encoding, maxBytes) => {
      if (refusal !== undefined) return;
      const needed = length + maxBytes;
      while (needed > taken) {
        if (!room.take(ROOM_STEP_BYTES)) {
          refuse('no room');
          return;
        }
        taken += ROOM_STEP_BYTES;
      }
      if (needed > decoded.length) grow(needed);
      length += decoded.write(text, length, encoding);
      if (length > room.maxBytes) refuse('too large');
    },
    finish: () => {
      if (refusal !== undefined) return { outcome: refusal, give };
      return { outcome: 'whole', bytes: decoded.subarray(0, length), give };
    },
  };
}
