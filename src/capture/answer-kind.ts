import type { Format } from './formats/format.ts';
import { FORMATS } from './formats/index.ts';
import type { CaptureOptions } from './request/options.ts';

const JSON_ANSWER: AnswerKind = { mimeType: 'application/json', extension: 'json', headers: {} };

/** What the bytes of an answer are, wherever they go: to a client, into a storage. */
type AnswerKind = Pick<Format, 'mimeType' | 'extension' | 'headers'>;

/** The file of its format, or the json that has that file in it. */
export function answerKind({
  format,
  response_type: type,
}: Pick<CaptureOptions, 'format' | 'response_type'>): AnswerKind {
  return type === 'json' ? JSON_ANSWER : FORMATS[format];
}
