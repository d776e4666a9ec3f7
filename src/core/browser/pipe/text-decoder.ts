import { StringDecoder } from 'node:string_decoder';
import type { BytesDecoder } from './bytes-decoder.ts';
import { createResultBuffer, type ResultRoom } from './result-buffer.ts';

const [QUOTE, BACKSLASH] = [0x22, 0x5c];
/** UTF-8 bytes per code unit. A surrogate pair has four bytes. */
const MOST_BYTES = 3;
/** An incomplete escape, or an incomplete pair of escapes, at the end. */
const UNFINISHED = /(?:\\u[dD][89abAB][\da-fA-F]{2})?(?:\\(?:u[\da-fA-F]{0,3})?)?$/;

/** Decoder for text in a JSON string. */
export function createTextDecoder(room: ResultRoom): BytesDecoder {
  const buffer = createResultBuffer(room);
  const characters = new StringDecoder('utf8');
  let rest = '';
  let isEscaped = false; // true if the next byte belongs to a backslash

  let hasEnded = false;

  const findEnd = (piece: Buffer): number => {
    if (piece.length === 0) return -1;
    let from = isEscaped ? 1 : 0;
    for (;;) {
      const quote = piece.indexOf(QUOTE, from);
      const end = quote === -1 ? piece.length : quote;
      let backslashes = 0;
      while (end - backslashes > from && piece[end - backslashes - 1] === BACKSLASH) backslashes++;
      if (quote === -1) {
        isEscaped = from <= end && backslashes % 2 === 1;
        return -1;
      }
      if (backslashes % 2 === 0) return quote;
      from = quote + 1;
    }
  };
  const decode = (escaped: string): void => {
    const text: unknown = JSON.parse(`"${escaped}"`);
    if (typeof text === 'string') buffer.write(text, 'utf8', MOST_BYTES * text.length);
  };

  return {
    add: (piece) => {
      const end = findEnd(piece);
      hasEnded = end !== -1;
      if (buffer.isRefused()) return end;
      const text = rest + characters.write(end === -1 ? piece : piece.subarray(0, end));
      const whole = wholeLength(text);
      rest = text.slice(whole);
      if (whole > 0) decode(text.slice(0, whole));
      return end;
    },
    finish: () => {
      if (rest !== '' && hasEnded && !buffer.isRefused()) decode(rest);
      return buffer.finish();
    },
  };
}

/** Returns the length that can be decoded without the following bytes. */
function wholeLength(text: string): number {
  const { index } = UNFINISHED.exec(text.slice(-12)) ?? { index: 12 };
  const start = Math.max(0, text.length - 12) + index;
  // An even number of backslashes is escaped backslashes.
  let before = 0;
  while (text[start - 1 - before] === '\\') before++;
  return before % 2 === 0 ? start : start + 1;
}
