import { type BytesDecoder, createBytesDecoder } from './bytes-decoder.ts';
import { createNodesDecoder } from './nodes-decoder.ts';
import { RECEIVED_EVENTS, MAX_MESSAGE_BYTES, READ_LIMITS, SMALL_BYTES } from './message-limits.ts';
import type { DecodedBytes, ResultRoom } from './result-buffer.ts';
import { createStringShortener, type StringShortener } from './string-shortener.ts';
import { createTextDecoder } from './text-decoder.ts';

/** Start of the answers to Page.captureScreenshot, Page.captureSnapshot and IO.read. No other call has such an answer. */
const BYTES_BEGIN = /^\{"id":(\d+),"result":\{(?:"base64Encoded":true,)?"data":"/;
/** Start of an MHTML snapshot, which is text. Base64 contains no colon. */
const TEXT_BEGIN = /^From:/;
/** Start of the answer to Accessibility.getFullAXTree, which can have hundreds of megabytes. */
const NODES_BEGIN = /^\{"id":(\d+),"result":\{"nodes":\[/;
const EVENT_BEGIN = /^\{"method":"([\w.]+)"/;
const LONGEST_BEGIN = 96;
/** End of a message of a session. Inside a string of the page, the quotes would be escaped. */
const SESSION_END = /"sessionId":"([0-9A-F]{32})"\}$/;
const SESSION_END_BYTES = 48;

/** A message of the DevTools protocol, as far as it was read. */
export interface PipeMessage {
  /** Undefined for events without a listener and for messages over the limit. */
  readonly text: string | undefined;
  /** The bytes that were taken out of `data`, and the key that replaces them in the text. */
  readonly bytes?: { readonly key: string; readonly value: DecodedBytes };
  /** Undefined for messages that belong to no page. */
  readonly sessionId: string | undefined;
  /** Received bytes, without a picture or document. */
  readonly length: number;
  readonly isTooLarge: boolean;
}

/** A message that arrives in pieces. Pictures are decoded piece by piece and never become part of a string. */
export interface IncomingMessage {
  readonly add: (piece: Buffer) => void;
  readonly finish: () => PipeMessage;
}

type Kind = 'unknown' | 'bytes' | 'answer' | 'event' | 'ignored';

export function createIncomingMessage(room: ResultRoom): IncomingMessage {
  let kind: Kind = 'unknown';
  let parts: Buffer[] = [];
  let held = 0; // bytes in `parts`
  let length = 0;
  let end: Buffer = Buffer.alloc(0);
  let shortener: StringShortener | undefined;
  let taken: { readonly key: string; readonly decoder: BytesDecoder; isComplete: boolean } | undefined;
  let isTooLarge = false;

  const keep = (piece: Buffer): void => {
    parts.push(piece);
    held += piece.length;
  };

  const addText = (piece: Buffer): void => {
    length += piece.length;
    if (kind === 'ignored' || isTooLarge) return;
    if (shortener === undefined) keep(piece);
    else for (const rest of shortener.add(piece)) keep(rest);
    if (held > SMALL_BYTES) shorten();
  };

  const shorten = (): void => {
    const limits = READ_LIMITS[kind === 'event' ? 'event' : 'answer'];
    if (shortener === undefined) {
      shortener = createStringShortener(limits.stringBytes);
      const all = parts;
      [parts, held] = [[], 0];
      for (const piece of all) for (const rest of shortener.add(piece)) keep(rest);
    }
    if (held <= limits.messageBytes) return;
    isTooLarge = true;
    [parts, held] = [[], 0];
  };

  const addData = (piece: Buffer): void => {
    if (taken === undefined || taken.isComplete) {
      addText(piece);
      return;
    }
    const endOfData = taken.decoder.add(piece);
    if (endOfData === -1) return;
    taken.isComplete = true;
    addText(piece.subarray(endOfData));
  };

  /** @param head everything received so far */
  const begin = (head: Buffer): void => {
    const text = head.toString('latin1', 0, LONGEST_BEGIN);
    const [, event] = EVENT_BEGIN.exec(text) ?? [];
    const [bytesBegin, id] = BYTES_BEGIN.exec(text) ?? [];
    [parts, held] = [[], 0];
    if (bytesBegin !== undefined) {
      kind = 'bytes';
      const isText = TEXT_BEGIN.test(text.slice(bytesBegin.length));
      const decoder = isText ? createTextDecoder(room) : createBytesDecoder(room);
      taken = { key: `bytes of ${id}`, decoder, isComplete: false };
      keep(head.subarray(0, bytesBegin.length));
      keep(Buffer.from(taken.key));
      addData(head.subarray(bytesBegin.length));
      return;
    }
    const [nodesBegin, nodesId] = NODES_BEGIN.exec(text) ?? [];
    if (nodesBegin !== undefined) {
      kind = 'bytes';
      taken = { key: `bytes of ${nodesId}`, decoder: createNodesDecoder(room), isComplete: false };
      keep(head.subarray(0, nodesBegin.length));
      keep(Buffer.from(JSON.stringify(taken.key)));
      addData(head.subarray(nodesBegin.length));
      return;
    }
    if (event === undefined) kind = 'answer';
    else kind = RECEIVED_EVENTS.has(event) ? 'event' : 'ignored';
    addText(head);
  };

  const add = (piece: Buffer): void => {
    end = piece.length < SESSION_END_BYTES && end.length > 0 ? Buffer.concat([end, piece]) : piece;
    end = end.subarray(-SESSION_END_BYTES);
    if (kind !== 'unknown') {
      addData(piece);
      return;
    }
    const head = parts.length === 0 ? piece : Buffer.concat([...parts, piece]);
    parts = [head];
    if (head.length >= LONGEST_BEGIN) begin(head);
  };

  return {
    add,
    finish: () => {
      if (kind === 'unknown') begin(Buffer.concat(parts));
      const isRead = kind !== 'ignored' && !isTooLarge;
      const text = (parts.length === 1 ? parts[0] : undefined) ?? Buffer.concat(parts);
      const [, sessionId] = SESSION_END.exec(end.toString('latin1')) ?? [];
      return {
        text: isRead ? text.toString() : undefined,
        ...(taken !== undefined && { bytes: { key: taken.key, value: taken.decoder.finish() } }),
        sessionId,
        length,
        isTooLarge: isTooLarge || length > MAX_MESSAGE_BYTES,
      };
    },
  };
}
