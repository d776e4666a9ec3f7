import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { resultTooLarge } from '../errors.ts';
import type { CaptureResult } from './capture-on-page.ts';
import type { Format } from './formats/format.ts';

/** Of three bytes each four characters are made; so much takes about a millisecond. */
const PIECE_BYTES = 768 * 1_024;
/** What stands before the file. Within a text of JSON it has backslashes, so that the first one is it. */
const FILE_BEGIN = ',"base64":"';

interface AnswerOptions {
  readonly format: Format;
  /** Under which the capture is logged; undefined where it is of no request. */
  readonly requestId: string | undefined;
  /** Largest answer, in bytes. */
  readonly maxResultBytes: number;
  readonly signal: AbortSignal;
}

/**
 * A capture as JSON: the file in base64, the parts that were asked for, and what the headers of the file alone would tell. Made in pieces,
 * so that others have their turn.
 * @throws ServiceError ResultTooLargeError; the signal's reason.
 */
export async function toJsonAnswer(
  { parts, ...result }: CaptureResult,
  { format, requestId, maxResultBytes, signal }: AnswerOptions,
): Promise<CaptureResult> {
  const { body: file, size, targetUrl, targetStatus, warnings, timings } = result;
  const hash = createHash('sha256');
  for (const piece of piecesOf(file)) {
    hash.update(piece);
    await nextTurn(undefined, { signal });
  }
  const head = {
    request_id: requestId ?? null,
    target: { url: targetUrl ?? null, status: targetStatus ?? null },
    file: { content_type: format.mimeType, bytes: file.length, sha256: hash.digest('hex'), ...size },
  };
  // The file is the last that the head tells, and its base64 the last that it tells of the file.
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
    await nextTurn(undefined, { signal });
  }
  for (const each of [between, members, after]) at += each.copy(body, at);
  return { ...result, body };
}

/** The other way round: the file in a json answer, and that answer with something else in its place. */
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
    await nextTurn();
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
