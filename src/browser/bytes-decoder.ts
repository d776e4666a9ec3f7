/** Room for pictures and documents while they arrive. */
export interface ResultRoom {
  /** Of one result. */
  readonly maxBytes: number;
  /** False: there is no room for so many more at the moment. */
  readonly take: (bytes: number) => boolean;
  readonly give: (bytes: number) => void;
}

/** What a picture or document came to; `give` says that the room for it is counted elsewhere from here on. */
export type DecodedBytes = (
  { readonly outcome: 'whole'; readonly bytes: Buffer } | { readonly outcome: 'too large' | 'no room' }
) & { readonly give: () => void };

/** Decodes base64 that arrives in pieces, so that no string of the whole is ever made. */
export interface BytesDecoder {
  /** Takes the next piece, of any length. */
  readonly add: (piece: Buffer) => void;
  /** Everything decoded; call it once. */
  readonly finish: () => DecodedBytes;
}

const GROUP = 4; // characters that stand for three bytes: only whole groups can be decoded by themselves
// Few and large: thousands of pieces of 48 KB leave the allocator with holes.
const [FIRST_BLOCK_BYTES, LARGEST_BLOCK_BYTES] = [65_536, 8_388_608];

/** Nothing is kept of what is larger than the room for it. */
export function createBytesDecoder(room: ResultRoom): BytesDecoder {
  let blocks: Buffer[] = [];
  let filled = 0; // of the last block
  let taken = 0;
  let refusal: 'too large' | 'no room' | undefined;
  let rest = '';

  const give = (): void => {
    room.give(taken);
    taken = 0;
  };
  const refuse = (why: 'too large' | 'no room'): void => {
    refusal = why;
    blocks = [];
    give();
  };

  const length = (): number =>
    blocks.reduce((sum, block) => sum + block.length, 0) - ((blocks.at(-1)?.length ?? 0) - filled);

  const addBlock = (leastBytes: number): Buffer | undefined => {
    const size = Math.max(leastBytes, Math.min(Math.max(FIRST_BLOCK_BYTES, taken), LARGEST_BLOCK_BYTES));
    if (!room.take(size)) {
      refuse('no room');
      return undefined;
    }
    taken += size;
    const last = blocks.pop();
    if (last !== undefined) blocks.push(last.subarray(0, filled));
    const block = Buffer.allocUnsafeSlow(size);
    blocks.push(block);
    filled = 0;
    return block;
  };

  const decode = (text: string): void => {
    const most = Math.ceil(text.length / GROUP) * 3;
    let block = blocks.at(-1);
    if (block === undefined || block.length - filled < most) block = addBlock(most);
    if (block === undefined) return;
    filled += block.write(text, filled, 'base64');
    if (length() > room.maxBytes) refuse('too large');
  };

  return {
    add: (piece) => {
      if (refusal !== undefined) return;
      const text = rest + piece.toString('latin1');
      const whole = text.length - (text.length % GROUP);
      rest = text.slice(whole);
      if (whole > 0) decode(text.slice(0, whole));
    },
    finish: () => {
      if (refusal === undefined && rest !== '') decode(rest);
      if (refusal !== undefined) return { outcome: refusal, give };
      const bytes = Buffer.concat(blocks, length());
      blocks = [];
      return { outcome: 'whole', bytes, give };
    },
  };
}
