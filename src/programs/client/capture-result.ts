import type { CaptureData, PartName } from './capture-data.ts';
import { UnexpectedAnswerError } from './capture-error.ts';
import { type CaptureFacts, readFacts } from './capture-facts.ts';
import type { CaptureRequest } from './capture-request.ts';
import { asObject, parseJson, readJson } from './json.ts';

/** A complete capture. */
export interface CaptureResult extends CaptureFacts {
  readonly bytes: Uint8Array;
  /** Returns the bytes as UTF-8 text, for formats such as `html` and `markdown`. */
  readonly text: () => string;
}

/** A request for JSON with these parts. */
export type DataRequest<Part extends PartName, Store extends boolean> = CaptureRequest & {
  readonly response_type: 'json';
  readonly include?: readonly Part[] | undefined;
  readonly store?: Store | undefined;
};

/** A capture with `response_type: 'json'`. `bytes` contains the JSON text. */
export interface DataResult<Part extends PartName = never, Store extends boolean = boolean> extends CaptureResult {
  readonly data: CaptureData<Part, Store>;
}

/** A capture as a stream. */
export interface CaptureStream extends CaptureFacts {
  /** Read it to its end, or cancel it. Fails if the connection breaks, the time limit passes or the signal fires. */
  readonly stream: ReadableStream<Uint8Array>;
}

/** A link that the service has signed. */
export interface SignedLink {
  readonly url: string;
  /** Unix second of expiry. */
  readonly expires: number;
}

/** Reads a capture from its answer. */
export async function readResult(response: Response): Promise<CaptureResult> {
  const bytes = new Uint8Array(await response.arrayBuffer());
  return { ...readFacts(response.headers), bytes, text: () => new TextDecoder().decode(bytes) };
}

/** Reads a capture with `response_type: 'json'`. */
export async function readData(response: Response): Promise<DataResult> {
  const result = await readResult(response);
  return { ...result, data: parseJson(result.text(), response.status) };
}

/** Returns the body of a capture unread. */
export async function readStream(response: Response): Promise<CaptureStream> {
  const stream = response.body ?? new ReadableStream({ start: (controller) => controller.close() });
  return { ...readFacts(response.headers), stream };
}

/**
 * Reads the answer of `POST /sign`.
 * @throws UnexpectedAnswerError if it is none
 */
export async function readLink(response: Response): Promise<SignedLink> {
  const { signed_url: url, expires } = asObject(await readJson(response));
  if (typeof url === 'string' && typeof expires === 'number') return { url, expires };
  throw new UnexpectedAnswerError(response.status, {});
}
