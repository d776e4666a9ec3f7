import type { CaptureFields } from './capture-fields.ts';

/** The fields of a capture. `files` may have bytes instead of base64. */
export interface CaptureRequest extends Omit<CaptureFields, 'files'> {
  /** Files that `html_content` or `markdown_content` loads by relative links: bytes, or text in base64, by name */
  readonly files?: Readonly<Record<string, Uint8Array | string>> | undefined;
}

/** A body of a request, and its content type if `fetch` does not set it. */
export interface Encoded {
  readonly body: string | FormData;
  readonly contentType?: string;
}

/**
 * Encodes the body of a request. Bytes are sent as parts of a multipart body, which is smaller than base64 and has its own size limit.
 * @param place returns the body around the fields of the capture
 */
export function encodeRequest(fields: CaptureRequest, place: (fields: object) => object): Encoded {
  const { files = {}, ...others } = fields;
  if (Object.values(files).every((content) => typeof content === 'string')) {
    return { body: JSON.stringify(place(fields)), contentType: 'application/json' };
  }
  const body = new FormData();
  body.append('request', JSON.stringify(place(others)));
  for (const [name, content] of Object.entries(files)) {
    const bytes = typeof content === 'string' ? fromBase64(content) : new Uint8Array(content);
    body.append(name, new Blob([bytes]), name);
  }
  return { body };
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}
