import { type BytesDecoder, createBytesDecoder } from './bytes-decoder.ts';
import { createAccessibilityDecoder } from './accessibility-decoder.ts';
import { RECEIVED_EVENTS, MAX_MESSAGE_BYTES, READ_LIMITS, SMALL_BYTES } from './received-events.ts';
import type { DecodedBytes, ResultRoom } from './result-buffer.ts';
import { createStringShortener, type StringShortener } from './string-shortener.ts';
import { createTextDecoder } from './text-decoder.ts';

/**
 * Start of the answers to Page.captureScreenshot, Page.captureSnapshot and IO.read. No other call has such an answer.
 */
const BYTES_BEGIN = /^\{"id":(\d+),"result":\{(?:"base64Encoded":(true|false),)?"data":"/;
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
  /** Number of received bytes, not counting those of a picture or document. */
  readonly length: number;
  readonly isTooLarge: boolean;
}

/** A message that arrives in pieces. Pictures are decoded piece by piece and never become part of a string. */
export interface IncomingMessage {
  readonly add: (piece: Buffer) => void;
  readonly finish: () => PipeMessage;
}

type ReadLimits = (typeof READ_LIMITS)[keyof typeof READ_LIMITS];
type Kind = 'unknown' | 'bytes' | 'answer' | 'event' | 'ignored';

const NOTHING: Buffer = Buffer.alloc(0);

export function createIncomingMessage(room: ResultRoom): IncomingMessage {
  let kind: Kind = 'unknown';
  let head = NOTHING; // start of the message while its kind is unknown
  let end = NOTHING;
  let length = 0;
  const text = createText();
  let taken: { readonly key: string; readonly decoder: BytesDecoder; isComplete: boolean } | undefined;

  const addText = (piece: Buffer): void => {
    length += piece.length;
    if (kind !== 'ignored') text.add(piece, READ_LIMITS[kind === 'event' ? 'event' : 'answer']);
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
  const begin = (): void => {
    const whole = head;
    head = NOTHING;
    const beginning = whole.toString('latin1', 0, LONGEST_BEGIN);
    const data = findData(beginning, room);
    if (data === undefined) {
      kind = kindOf(beginning);
      addText(whole);
      return;
    }
    kind = 'bytes';
    taken = { key: data.key, decoder: data.decoder, isComplete: false };
    text.keep(whole.subarray(0, data.offset));
    text.keep(data.replacement);
    addData(whole.subarray(data.offset));
  };

  return {
    add: (piece) => {
      end = piece.length < SESSION_END_BYTES && end.length > 0 ? Buffer.concat([end, piece]) : piece;
      end = end.subarray(-SESSION_END_BYTES);
      if (kind !== 'unknown') {
        addData(piece);
        return;
      }
      head = head.length === 0 ? piece : Buffer.concat([head, piece]);
      if (head.length >= LONGEST_BEGIN) begin();
    },
    finish: () => {
      if (kind === 'unknown') begin();
      const [, sessionId] = SESSION_END.exec(end.toString('latin1')) ?? [];
      return {
        text: kind === 'ignored' || text.isTooLarge() ? undefined : text.read(),
        ...(taken !== undefined && { bytes: { key: taken.key, value: taken.decoder.finish() } }),
        sessionId,
        length,
        isTooLarge: text.isTooLarge() || length > MAX_MESSAGE_BYTES,
      };
    },
  };
}

/** Text of a message. Once it is large, long strings are shortened. Over the limit it is dropped. */
function createText() {
  let parts: Buffer[] = [];
  let held = 0; // bytes in `parts`
  let shortener: StringShortener | undefined;
  let isTooLarge = false;

  const keep = (piece: Buffer): void => {
    parts.push(piece);
    held += piece.length;
  };
  const takeAll = (): Buffer[] => {
    const all = parts;
    [parts, held] = [[], 0];
    return all;
  };
  const shorten = (limits: ReadLimits): void => {
    if (shortener === undefined) {
      shortener = createStringShortener(limits.stringBytes);
      for (const piece of takeAll()) for (const rest of shortener.add(piece)) keep(rest);
    }
    if (held <= limits.messageBytes) return;
    isTooLarge = true;
    takeAll();
  };

  return {
    /** Adds bytes without a check of the limits. */
    keep,
    add: (piece: Buffer, limits: ReadLimits): void => {
      if (isTooLarge) return;
      if (shortener === undefined) keep(piece);
      else for (const rest of shortener.add(piece)) keep(rest);
      if (held > SMALL_BYTES) shorten(limits);
    },
    isTooLarge: (): boolean => isTooLarge,
    read: (): string => ((parts.length === 1 ? parts[0] : undefined) ?? Buffer.concat(parts)).toString(),
  };
}

interface Data {
  readonly key: string;
  readonly decoder: BytesDecoder;
  /** Bytes before the data. */
  readonly offset: number;
  /** The key as the message contains it. */
  readonly replacement: Buffer;
}

/**
 * Finds binary data, which is decoded separately from its message. Undefined if a message with this beginning has none.
 */
function findData(text: string, room: ResultRoom): Data | undefined {
  const [bytesBegin, bytesId, isBase64] = BYTES_BEGIN.exec(text) ?? [];
  if (bytesBegin !== undefined) {
    const offset = bytesBegin.length;
    const isText = isBase64 === 'false' || TEXT_BEGIN.test(text.slice(offset));
    const decoder = isText ? createTextDecoder(room) : createBytesDecoder(room);
    const key = `bytes of ${bytesId}`; // inside the quotes of the string
    return { key, decoder, offset, replacement: Buffer.from(key) };
  }
  const [nodesBegin, nodesId] = NODES_BEGIN.exec(text) ?? [];
  if (nodesBegin === undefined) return undefined;
  const key = `bytes of ${nodesId}`;
  const replacement = Buffer.from(JSON.stringify(key));
  return { key, decoder: createAccessibilityDecoder(room), offset: nodesBegin.length, replacement };
}

function kindOf(text: string): Kind {
  const [, event] = EVENT_BEGIN.exec(text) ?? [];
  if (event === undefined) return 'answer';
  return RECEIVED_EVENTS.has(event) ? 'event' : 'ignored';
}
