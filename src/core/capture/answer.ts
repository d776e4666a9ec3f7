import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { Captured } from './capture-on-page.ts';
import type { Format } from './formats/format.ts';
import { FORMATS } from './request/formats.ts';
import type { CaptureOptions } from './request/options.ts';

/** Chunk size, divisible by three as base64 needs it. One chunk takes about a millisecond. */
const PIECE_BYTES = 768 * 1_024;

const JSON_ANSWER: AnswerKind = { mimeType: 'application/json', extension: 'json', headers: {} };

/** Content type, extension and headers of an answer, for clients and for the storage. */
type AnswerKind = Pick<Format, 'mimeType' | 'extension' | 'headers'>;

/** What is answered: the file of this format alone, or JSON that contains it. */
export interface AnswerForm {
  readonly format: CaptureOptions['format'];
  readonly response_type: 'file' | 'json';
}

/** Returns the kind of the file, or of the JSON answer that contains it. */
export function answerKind({ format, response_type: type }: AnswerForm): AnswerKind {
  return type === 'json' ? JSON_ANSWER : FORMATS[format];
}

/** Returns the size of the whole answer in bytes, with the file in it. */
export function answerBytes({ format, include }: CaptureOptions, captured: Captured): number {
  if (include === undefined) return captured.file.length;
  const { before, after } = aroundFile(captured, format);
  return before.length + encodedLength(captured.file) + bytesOf(after);
}

/**
 * Returns a capture as JSON: the file in base64, the requested parts, and the metadata of the headers. Encodes in
 * chunks, so that other work can run in between.
 * @param stored members of `file` that replace its content
 */
export async function encodeJson(
  captured: Captured,
  format: CaptureOptions['format'],
  stored?: object,
): Promise<Buffer> {
  const { file } = captured;
  const { before, after } = aroundFile(captured, format, stored);
  if (stored !== undefined) return Buffer.concat([before, ...after]);
  const body = Buffer.allocUnsafeSlow(before.length + encodedLength(file) + bytesOf(after));
  let at = before.copy(body);
  for (const piece of piecesOf(file)) {
    at += body.write(piece.toString('base64'), at, 'latin1');
    await yieldToEventLoop();
  }
  for (const each of after) at += each.copy(body, at);
  return body;
}

/** Returns the pieces of a file whose work blocks the event loop for about a millisecond each. */
export function* piecesOf(file: Buffer): Generator<Buffer> {
  for (let at = 0; at < file.length; at += PIECE_BYTES) yield file.subarray(at, at + PIECE_BYTES);
}

/** Returns the text of a JSON answer before and after the encoded file. */
function aroundFile(
  { file, parts, facts }: Captured,
  format: CaptureOptions['format'],
  stored?: object,
): { readonly before: Buffer; readonly after: readonly Buffer[] } {
  const { requestId = null, targetUrl = null, targetStatus = null, sha256, size, warnings, timings } = facts;
  const head = JSON.stringify({
    request_id: requestId,
    target: { url: targetUrl, status: targetStatus },
    file: { content_type: FORMATS[format].mimeType, bytes: file.length, sha256, ...size, ...stored },
  });
  const rounded = Object.entries(timings).map(([phase, ms]) => [phase, Math.round(ms * 10) / 10]);
  const rest = JSON.stringify({ warnings, timings: Object.fromEntries(rounded) });
  return {
    // `base64` is the last member of the file, so that it ends where the file ends.
    before: Buffer.from(stored === undefined ? `${head.slice(0, -2)},"base64":"` : head.slice(0, -1)),
    after: [
      ...(stored === undefined ? [Buffer.from('"}')] : []),
      ...[...parts].flatMap(([name, text]) => [Buffer.from(`,${JSON.stringify(name)}:`), text]),
      Buffer.from(`,${rest.slice(1)}`),
    ],
  };
}

function encodedLength(file: Buffer): number {
  return 4 * Math.ceil(file.length / 3);
}

function bytesOf(texts: readonly Buffer[]): number {
  return texts.reduce((sum, { length }) => sum + length, 0);
}
