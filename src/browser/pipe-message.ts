import { type Base64Decoder, createBase64Decoder } from './base64-decoder.ts';

/** How the answer to Page.captureScreenshot and Page.printToPDF begins; no other call that we make has such an answer. */
const BYTES_BEGIN = /^\{"id":(\d+),"result":\{"data":"/;
const LONGEST_BEGIN = 48;
const QUOTE = 0x22; // what ends the data: base64 has none

/** A message of the protocol. `bytes` holds what its `data` stood for, where that was taken out and `key` put in its place. */
export interface PipeMessage {
  readonly text: string;
  readonly bytes?: { readonly key: string; readonly value: Buffer };
}

/** One message as it arrives, in pieces. A picture in it is decoded piece by piece, and never part of a string. */
export interface IncomingMessage {
  readonly add: (piece: Buffer) => void;
  readonly finish: () => PipeMessage;
}

export function createIncomingMessage(): IncomingMessage {
  const parts: Buffer[] = [];
  let taken: { readonly key: string; readonly decoder: Base64Decoder; isComplete: boolean } | undefined;

  const addData = (piece: Buffer): void => {
    if (taken === undefined || taken.isComplete) {
      parts.push(piece);
      return;
    }
    const end = piece.indexOf(QUOTE);
    taken.decoder.add(end === -1 ? piece : piece.subarray(0, end));
    if (end === -1) return;
    taken.isComplete = true;
    parts.push(piece.subarray(end));
  };

  return {
    add: (piece) => {
      const [begin, id] =
        (parts.length === 0 && BYTES_BEGIN.exec(piece.toString('latin1', 0, LONGEST_BEGIN))) || [];
      if (begin === undefined) {
        addData(piece);
        return;
      }
      taken = { key: `bytes of ${id}`, decoder: createBase64Decoder(), isComplete: false };
      parts.push(piece.subarray(0, begin.length), Buffer.from(taken.key));
      addData(piece.subarray(begin.length));
    },
    finish: () => {
      const text = (parts.length === 1 ? parts[0] : undefined) ?? Buffer.concat(parts);
      return {
        text: text.toString(),
        ...(taken !== undefined && { bytes: { key: taken.key, value: taken.decoder.finish() } }),
      };
    },
  };
}
