import type { Format } from './formats/format.ts';
import { FORMATS } from './formats/index.ts';
import type { CaptureOptions } from './request/options.ts';

const JSON_ANSWER: AnswerKind = { mimeType: 'application/json', extension: 'json', headers: {} };

/** Content type, extension and headers of an answer, for clients and for the storage. */
type AnswerKind = Pick<Format, 'mimeType' | 'extension' | 'headers'>;

/** Returns the kind of the file, or of the JSON answer that contains it. */
export function answerKind({
  format,
  response_type: type,
}: Pick<CaptureOptions, 'format' | 'response_type'>): AnswerKind {
  return type === 'json' ? JSON_ANSWER : FORMATS[format];
}
