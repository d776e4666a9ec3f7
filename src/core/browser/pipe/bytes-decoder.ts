import { createResultBuffer, type DecodedBytes, type ResultRoom } from './result-buffer.ts';

/** Decodes a long string inside JSON that arrives in pieces, without ever holding the whole string. */
export interface BytesDecoder {
  /** Takes the next piece, of any length. Returns the index of the closing quote, or -1 if the string continues. */
  readonly add: (piece: Buffer) => number;
  /** Returns the decoded bytes. Call it once. */
  readonly finish: () => DecodedBytes;
}

const GROUP = 4; // four base64 characters stand for three bytes, and only whole groups can be decoded
const QUOTE = 0x22; // never occurs in base64

/** Decoder for base64. Drops the bytes if they exceed the available memory. */
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
