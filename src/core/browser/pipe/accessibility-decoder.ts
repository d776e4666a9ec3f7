import type { BytesDecoder } from './bytes-decoder.ts';
import { createResultBuffer, type ResultRoom } from './result-buffer.ts';

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET] = [0x7b, 0x7d, 0x5b, 0x5d];
/** Maximum size of the stored nodes. The tree arrives level by level, so its top is stored and the rest is dropped. */
const MAX_KEPT_BYTES = 8 * 1_048_576;
/** Larger nodes are dropped, because their names are too long to be useful. */
const MAX_OBJECT_BYTES = 1_048_576;

/** Decoder for a JSON list of objects. Keeps the first objects, one per line. JSON strings contain no line breaks. */
export function createAccessibilityDecoder(room: ResultRoom): BytesDecoder {
  const buffer = createResultBuffer(room);
  let object: Buffer[] = []; // received bytes of the incomplete object
  let objectBytes = 0;
  let kept = 0;
  let depth = 0;
  let isInString = false;
  let isEscaped = false;

  const keep = (end: Buffer): void => {
    const whole = object.length === 0 ? end : Buffer.concat([...object, end]);
    const isTooLarge = objectBytes + end.length > MAX_OBJECT_BYTES;
    [object, objectBytes] = [[], 0];
    if (isTooLarge) return;
    kept += whole.length;
    if (kept <= MAX_KEPT_BYTES) buffer.write(`${whole.toString('latin1')}\n`, 'latin1', whole.length + 1);
  };

  return {
    add: (piece) => {
      let start = 0;
      for (let at = 0; at < piece.length; at++) {
        const byte = piece[at];
        if (isEscaped) isEscaped = false;
        else if (isInString) {
          if (byte === BACKSLASH) isEscaped = true;
          else if (byte === QUOTE) isInString = false;
        } else if (byte === QUOTE) isInString = true;
        else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth++;
        else if (depth === 0 && byte === COMMA) start = at + 1;
        else if (depth === 0 && byte === CLOSE_BRACKET) return at;
        else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
          depth--;
          if (depth > 0) continue;
          keep(piece.subarray(start, at + 1));
          start = at + 1;
        }
      }
      const rest = piece.subarray(start);
      objectBytes += rest.length;
      if (objectBytes > MAX_OBJECT_BYTES || kept > MAX_KEPT_BYTES) object = [];
      else if (depth > 0) object.push(Buffer.from(rest));
      return -1;
    },
    finish: () => buffer.finish(),
  };
}
