import type { CaptureFields } from './capture-fields.ts';

/** What to capture: a URL, HTML, Markdown, a PDF or a template, which may need one of the others. */
type Source = {
  [Name in (typeof SOURCES)[number]]: { readonly [Each in Name]: string };
}[(typeof SOURCES)[number]];

interface OtherFields extends Omit<CaptureFields, 'files'> {
  /** Files that `html_content` or `markdown_content` loads by relative links: bytes, or text in base64, by name */
  readonly files?: Readonly<Record<string, Uint8Array | string>> | undefined;
}

/** The fields of a capture. One of `url`, `html_content`, `markdown_content`, `file` and `template` is required. */
export type CaptureRequest = OtherFields & Source;

const SOURCES = ['url', 'html_content', 'markdown_content', 'file', 'template'] as const;

/** True if the fields have something to capture. Only the service checks their values. */
export function isCaptureRequest<Fields extends Readonly<Record<string, unknown>>>(
  fields: Fields,
): fields is Fields & CaptureRequest {
  return SOURCES.some((name) => fields[name] !== undefined);
}

/** A body of a request, and its content type if `fetch` does not set it. */
export interface Encoded {
  readonly body: string | FormData;
  readonly contentType?: string;
}

/**
 * Encodes the body of a request. Bytes are sent as parts of a multipart body, which is smaller than base64 and has its
 * own size limit.
 * @param place returns the body around the fields of the capture
 * @throws TypeError for a field that has no JSON, such as an object that contains itself
 */
export function encodeRequest(fields: Pick<CaptureRequest, 'files'>, place: (fields: object) => object): Encoded {
  const { files = {}, ...others } = fields;
  if (Object.values(files).every((content) => typeof content === 'string')) return encodeJson(place(fields));
  const body = new FormData();
  body.append('request', JSON.stringify(place(others)));
  for (const [name, content] of Object.entries(files)) {
    const bytes = typeof content === 'string' ? fromBase64(content) : new Uint8Array(content);
    body.append(name, new Blob([bytes]), name);
  }
  return { body };
}

/** Encodes a JSON body. */
export function encodeJson(value: object): Encoded {
  return { body: JSON.stringify(value), contentType: 'application/json' };
}

/** Returns the fields with the bytes of files in base64, for bodies with several captures and for links. */
export function toJsonFields({ files, ...others }: CaptureRequest): object {
  if (files === undefined) return others;
  const texts = Object.entries(files).map(([name, content]) => [name, toBase64(content)]);
  return { ...others, files: Object.fromEntries(texts) };
}

function toBase64(content: Uint8Array | string): string {
  if (typeof content === 'string') return content;
  return btoa(Array.from(content, (byte) => String.fromCharCode(byte)).join(''));
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}
