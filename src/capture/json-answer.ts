import { createHash } from 'node:crypto';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { resultTooLarge } from '../errors.ts';
import type { CaptureResult } from './capture-on-page.ts';
import type { Format } from './formats/format.ts';

/** Chunk size, divisible by three as base64 needs it. One chunk takes about a millisecond. */
const PIECE_BYTES = 768 * 1_024;
/** Text before the file. Inside JSON strings the quotes are escaped, so the first match is the file. */
const FILE_BEGIN = ',"base64":"';

interface AnswerOptions {
  readonly format: Format;
  /** Request id in the log. Undefined without a request. */
  readonly requestId: string | undefined;
  /** Maximum size of the answer in bytes. */
  readonly maxResultBytes: number;
  readonly signal: AbortSignal;
}

/**
 * Returns a capture as JSON: the file in base64, the requested parts, and the metadata of the headers. Encodes in chunks, so that other
 * work can run in between.
 * @throws ServiceError ResultTooLargeError; the signal's reason
 */
export async function toJsonAnswer(
  { parts, ...result }: CaptureResult,
  { format, requestId, maxResultBytes, signal }: AnswerOptions,
): Promise<CaptureResult> {
  const { body: file, size, targetUrl, targetStatus, warnings, timings } = result;
  const hash = createHash('sha256');
  for (const piece of piecesOf(file)) {
    hash.update(piece);
    await yieldToEventLoop(undefined, { signal });
  }
  const head = {
    request_id: requestId ?? null,
    target: { url: targetUrl ?? null, status: targetStatus ?? null },
    file: { content_type: format.mimeType, bytes: file.length, sha256: hash.digest('hex'), ...size },
  };
  // The file is the last member of the answer, and `base64` is the last member of the file.
  const before = Buffer.from(`${JSON.stringify(head).slice(0, -2)}${FILE_BEGIN}`);
  const members = parts?.members ?? Buffer.alloc(0);
  const rounded = Object.entries(timings).map(([phase, ms]) => [phase, Math.round(ms * 10) / 10]);
  const rest = JSON.stringify({ warnings, timings: Object.fromEntries(rounded) }).slice(1);
  const between = Buffer.from(`"}${members.length > 0 ? ',' : ''}`);
  const after = Buffer.from(`,${rest}`);

  const encodedLength = 4 * Math.ceil(file.length / 3);
  const length = before.length + encodedLength + between.length + members.length + after.length;
  if (length > maxResultBytes) throw resultTooLarge(maxResultBytes);
  const body = Buffer.allocUnsafeSlow(length);
  let at = before.copy(body);
  for (const piece of piecesOf(file)) {
    at += body.write(piece.toString('base64'), at, 'latin1');
    await yieldToEventLoop(undefined, { signal });
  }
  for (const each of [between, members, after]) at += each.copy(body, at);
  return { ...result, body };
}

/** Reverse of `toJsonAnswer`: returns the file, and the answer with a replacement for the file. */
export async function takeOutFile(
  answer: Buffer,
): Promise<{ readonly file: Buffer; readonly withInstead: (members: object) => Buffer }> {
  const memberAt = answer.indexOf(FILE_BEGIN);
  const start = memberAt + FILE_BEGIN.length;
  const end = answer.indexOf('"', start);
  const encoded = answer.subarray(start, end);
  const padding = /=*$/.exec(encoded.toString('latin1', encoded.length - 2))?.[0].length ?? 0;
  const file = Buffer.allocUnsafeSlow((encoded.length / 4) * 3 - padding);
  let at = 0;
  for (const piece of piecesOf(encoded)) {
    at += file.write(piece.toString('latin1'), at, 'base64');
    await yieldToEventLoop();
  }
  const [before, after] = [answer.subarray(0, memberAt), answer.subarray(end + 1)];
  return {
    file,
    withInstead: (members) =>
      Buffer.concat([before, Buffer.from(`,${JSON.stringify(members).slice(1, -1)}`), after]),
  };
}

function* piecesOf(file: Buffer): Generator<Buffer> {
  for (let at = 0; at < file.length; at += PIECE_BYTES) yield file.subarray(at, at + PIECE_BYTES);
}
