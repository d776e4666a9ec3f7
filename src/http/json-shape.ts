const MAX_DEPTH = 32;
const MAX_MEMBERS = 10_000;

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const OPENING = new Set([0x5b, 0x7b]);
const CLOSING = new Set([0x5d, 0x7d]);

/**
 * Says what is wrong with the shape of a JSON text, before it is parsed: a body of ten megabytes of brackets or of a million
 * members would hold the event loop for a long time. Undefined when there is nothing wrong. Does not check the syntax.
 */
export function jsonShapeProblem(text: Buffer): string | undefined {
  let depth = 0;
  let members = 0;
  for (let at = 0; at < text.length; at++) {
    const byte = text[at] ?? 0;
    if (byte === QUOTE) {
      at = endOfString(text, at);
    } else if (byte === COMMA) {
      if (++members > MAX_MEMBERS) return `The body may hold at most ${MAX_MEMBERS} members`;
    } else if (OPENING.has(byte)) {
      if (++depth > MAX_DEPTH) return `The body may be nested at most ${MAX_DEPTH} levels deep`;
    } else if (CLOSING.has(byte)) {
      depth--;
    }
  }
  return undefined;
}

/** The closing quote of the string that opens at `start`: the next one before which the backslashes are even in number. */
function endOfString(text: Buffer, start: number): number {
  for (let end = text.indexOf(QUOTE, start + 1); end !== -1; end = text.indexOf(QUOTE, end + 1)) {
    let backslashes = 0;
    while (text[end - 1 - backslashes] === BACKSLASH) backslashes++;
    if (backslashes % 2 === 0) return end;
  }
  return text.length;
}
