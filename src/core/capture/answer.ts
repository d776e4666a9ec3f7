import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { Captured } from './capture-on-page.ts';
import type { ElementPicture, Format } from './formats/format.ts';
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
  return include === undefined ? captured.file.length : bytesOf(jsonOf(captured, format));
}

/**
 * Returns a capture as JSON: the file or its pictures in base64, the requested parts, and the metadata of the headers.
 * Encodes in chunks, so that other work can run in between.
 * @param links members that replace the content of the file, or of each of its pictures
 */
export async function encodeJson(
  captured: Captured,
  format: CaptureOptions['format'],
  links?: readonly object[],
): Promise<Buffer> {
  return await join(jsonOf(captured, format, links));
}

/** Returns a file in base64. */
export async function encodeBase64(file: Buffer): Promise<Buffer> {
  return await join([{ file }]);
}

async function join(all: readonly JsonPiece[]): Promise<Buffer> {
  const body = Buffer.allocUnsafeSlow(bytesOf(all));
  let at = 0;
  for (const each of all) {
    if (!('file' in each)) {
      at += each.copy(body, at);
      continue;
    }
    for (const piece of piecesOf(each.file)) {
      at += body.write(piece.toString('base64'), at, 'latin1');
      await yieldToEventLoop();
    }
  }
  return body;
}

/** Returns the pieces of a file whose work blocks the event loop for about a millisecond each. */
export function* piecesOf(file: Buffer): Generator<Buffer> {
  for (let at = 0; at < file.length; at += PIECE_BYTES) yield file.subarray(at, at + PIECE_BYTES);
}

/** A piece of a JSON answer: text as it is, or a file whose base64 is in its place. */
type JsonPiece = Buffer | { readonly file: Buffer };

function jsonOf(captured: Captured, format: CaptureOptions['format'], links?: readonly object[]): readonly JsonPiece[] {
  const { file, parts, facts } = captured;
  const { requestId = null, targetUrl = null, targetStatus = null, sha256, digest, size, warnings, timings } = facts;
  const head = JSON.stringify({ request_id: requestId, target: { url: targetUrl, status: targetStatus } });
  const described = { content_type: FORMATS[format].mimeType, bytes: file.length, sha256, ...size };
  const rounded = Object.entries(timings).map(([phase, ms]) => [phase, Math.round(ms * 10) / 10]);
  const rest = JSON.stringify({ digest, warnings, timings: Object.fromEntries(rounded) });
  const contents =
    facts.elements === undefined
      ? [Buffer.from(',"file":'), ...withContent(described, file, links?.[0])]
      : [
          Buffer.from(`,"file":${JSON.stringify(described)},"elements":[`),
          ...picturesOf(captured).flatMap(listed),
          Buffer.from(']'),
        ];
  return [
    Buffer.from(head.slice(0, -1)),
    ...contents,
    ...[...parts].flatMap(([name, text]) => [Buffer.from(`,${JSON.stringify(name)}:`), text]),
    Buffer.from(`,${rest.slice(1)}`),
  ];

  function listed({ picture, bytes }: PictureOfElement, index: number): readonly JsonPiece[] {
    return [...(index > 0 ? [Buffer.from(',')] : []), ...withContent(picture, bytes, links?.[index])];
  }
}

/** Returns an object with a file in base64 as its last member, or with a link in its place. */
function withContent(described: object, file: Buffer, link: object | undefined): readonly JsonPiece[] {
  if (link !== undefined) return [Buffer.from(JSON.stringify({ ...described, ...link }))];
  return [Buffer.from(`${JSON.stringify(described).slice(0, -1)},"base64":"`), { file }, Buffer.from('"}')];
}

interface PictureOfElement {
  readonly picture: ElementPicture;
  readonly bytes: Buffer;
}

/** Returns the pictures of a result that has several. */
export function picturesOf({
  file,
  facts: { elements = [] },
}: Pick<Captured, 'file'> & { readonly facts: Pick<Captured['facts'], 'elements'> }): readonly PictureOfElement[] {
  let at = 0;
  return elements.map((picture) => ({ picture, bytes: file.subarray(at, (at += picture.bytes)) }));
}

function encodedLength(file: Buffer): number {
  return 4 * Math.ceil(file.length / 3);
}

function bytesOf(pieces: readonly JsonPiece[]): number {
  return pieces.reduce((sum, piece) => sum + ('file' in piece ? encodedLength(piece.file) : piece.length), 0);
}
