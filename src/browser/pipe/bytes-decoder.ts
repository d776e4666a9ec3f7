import { createResultBuffer, type DecodedBytes, type ResultRoom } from './result-buffer.ts';

/** Decodes a long string of a JSON text that arrives in pieces, so that no string of the whole is ever made. */
export interface BytesDecoder {
  /** Takes the next piece, of any length. Where the string ends in it: the place of the quote; -1 when it goes on. */
  readonly add: (piece: Buffer) => number;
  /** Everything decoded; call it once. */
  readonly finish: () => DecodedBytes;
}

const GROUP = 4; // characters that stand for three bytes: only whole groups can be decoded by themselves
const QUOTE = 0x22; // base64 has none

/** For base64. Nothing is kept of what is larger than the room for it. */
export function createBytesDecoder(room: ResultRoom): BytesDecoder {
  const buffer = createResultBuffer(room);
  let rest = '';

  const decode = (text: string): void => buffer.write(text, 'base64', Math.ceil(text.length / GROUP) * 3);

  return {
    add: (piece) => {
      const end = piece.indexOf(QUOTE);
      if (buffer.isRefused()) return end;
      const text = rest + piece.toString('latin1', 0, end === -1 ? piece.length : end);
      const whole = text.length - (text.length % GROUP);
      rest = text.slice(whole);
      if (whole > 0) decode(text.slice(0, whole));
      return end;
    },
    finish: () => {
      if (rest !== '') decode(rest);
      return buffer.finish();
    },
  };
}
