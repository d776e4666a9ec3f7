import { Busboy, type BusboyInstance } from '@fastify/busboy';
import type { Readable } from 'node:stream';
import type { Request } from 'express';
import { filesTooLarge } from '../../capture/request/parse-options.ts';
import { fileNameProblem, MAX_FILES, MAX_FILES_BYTES } from '../../capture/request/source-fields.ts';
import { validationError } from '../../ground/errors.ts';
import { isJsonObject } from '../../ground/parse-json.ts';
import { createByteGatherer, noRoomForBody, tooLarge } from './byte-gatherer.ts';

/** Name of the part with the JSON. */
const JSON_PART = 'request';
/** Name of the parts with files in a form. */
const FILES_PART = 'files';

/** Contents in base64 by name. */
type Files = Readonly<Record<string, string>>;

/** Puts files into the JSON of a body. */
export type PlaceFiles = (body: unknown, files: Files) => unknown;

/** A form: its text fields with all values of each, and its files in base64. */
export interface Form {
  readonly fields: ReadonlyMap<string, readonly string[]>;
  readonly files: Files;
}

interface MultipartLimits {
  /** Maximum size of the whole body. */
  readonly maxBytes: number;
  readonly maxJsonBytes: number;
  /** Reserves memory. False if there is not enough. */
  readonly take: (bytes: number) => boolean;
}

interface MultipartBody {
  /** The text of the part `request`. */
  readonly json: Buffer;
  readonly files: Files;
}

/**
 * Reads a multipart body: the JSON of its part `request`, and its other parts as files. A file is named by its file
 * name, or by the name of its part. Stops at the first problem; `lingerAfterAnswer` discards the rest.
 * @throws ServiceError ValidationError, PayloadTooLargeError, OverloadedError
 */
export async function readMultipart(request: Request, limits: MultipartLimits): Promise<MultipartBody> {
  const parts = createParts(limits);
  await readParts(request, parts);
  return parts.finish();
}

/**
 * Reads a multipart form: parts with a file name are files, and the others are text fields. If the part of a file has
 * another name than `files`, the file name is also the value of a text field: some clients send options as files.
 * @throws like `readMultipart`
 */
export async function readForm(request: Request, limits: MultipartLimits): Promise<Form> {
  const form = createForm(limits);
  await readParts(request, form);
  return form.finish();
}

/** Receives the parts of a body. All functions throw ServiceErrors. */
interface Parts {
  readonly count: (chunk: Buffer) => void;
  readonly begin: (
    part: string | undefined,
    fileName: string | undefined,
  ) => { readonly add: (chunk: Buffer) => void; readonly end: () => void };
}

async function readParts(request: Request, parts: Parts): Promise<void> {
  const parser = openParser(request);
  const { promise: finished, resolve, reject } = Promise.withResolvers<void>();
  const unlessRefused = (work: () => void): void => {
    try {
      work();
    } catch (problem) {
      reject(problem);
    }
  };
  const count = (chunk: Buffer): void => unlessRefused(() => parts.count(chunk));
  // Listeners of errors stay: an error without a listener would end the process.
  const onError = (error: unknown): void => {
    reject(validationError('The multipart body is not complete or not valid', error));
  };

  parser.once('partsLimit', () => reject(validationError(`files: may have at most ${MAX_FILES} files`)));
  parser.on('error', onError).once('finish', resolve);
  parser.on('file', (part: string | undefined, content: Readable, fileName: string | undefined) => {
    content.on('error', onError);
    unlessRefused(() => {
      const { add, end } = parts.begin(part, fileName);
      content.on('data', (chunk: Buffer) => unlessRefused(() => add(chunk)));
      content.once('end', () => unlessRefused(end));
    });
  });
  request.on('data', count).on('error', onError).pipe(parser);
  try {
    await finished;
  } finally {
    request.off('data', count).unpipe(parser).pause();
    parser.destroy();
  }
}

/** Collects a form within its limits. */
function createForm(limits: MultipartLimits): Parts & { readonly finish: () => Form } {
  const fields = new Map<string, string[]>();
  const { count, beginText, beginFile, files } = createCollector(limits);
  const addField = (name: string, value: string): void => {
    fields.set(name, [...(fields.get(name) ?? []), value]);
  };
  return {
    count,
    begin: (part = '', fileName) => {
      if (fileName === undefined) return beginText((bytes) => addField(part, bytes.toString('utf8')));
      if (part !== FILES_PART) addField(part, fileName);
      return beginFile(fileName);
    },
    finish: () => ({ fields, files: Object.fromEntries(files) }),
  };
}

/** Collects the JSON and the files of a body within its limits. */
function createParts(limits: MultipartLimits): Parts & { readonly finish: () => MultipartBody } {
  let json: Buffer | undefined;
  const { count, beginText, beginFile, files } = createCollector(limits);
  const beginJson = () => {
    if (json !== undefined) throw validationError(`${JSON_PART}: is there twice`);
    json = Buffer.alloc(0);
    return beginText((bytes) => void (json = bytes));
  };
  return {
    count,
    begin: (part, fileName) => (part === JSON_PART ? beginJson() : beginFile(fileName ?? part ?? '')),
    finish: () => {
      if (json !== undefined) return { json, files: Object.fromEntries(files) };
      throw validationError(`The multipart body must have a part named ${JSON_PART} with JSON`);
    },
  };
}

/** Collects texts and files. All texts together may be as large as a JSON body. */
function createCollector({ maxBytes, maxJsonBytes, take }: MultipartLimits) {
  const files = new Map<string, string>();
  let [received, bytesOfTexts, bytesOfFiles] = [0, 0, 0];
  const beginText = (onEnd: (bytes: Buffer) => void) => {
    const gathered = createByteGatherer(take);
    return {
      add: (chunk: Buffer): void => {
        bytesOfTexts += chunk.length;
        if (bytesOfTexts > maxJsonBytes) throw tooLarge(maxJsonBytes);
        reserve(gathered.add(chunk));
      },
      end: () => onEnd(gathered.finish()),
    };
  };
  const beginFile = (name: string) => {
    const problem = files.has(name) ? `${name} is there twice` : fileNameProblem(name);
    if (problem !== undefined) throw validationError(`files: ${problem}`);
    files.set(name, '');
    const gathered = createByteGatherer(take);
    return {
      add: (chunk: Buffer): void => {
        bytesOfFiles += chunk.length;
        if (bytesOfFiles > MAX_FILES_BYTES) throw filesTooLarge();
        reserve(gathered.add(chunk));
      },
      end: (): void => {
        const bytes = gathered.finish();
        reserve(take(Math.ceil(bytes.length / 3))); // the text is longer than the bytes that it replaces
        files.set(name, bytes.toString('base64'));
      },
    };
  };

  return {
    files,
    beginText,
    beginFile,
    count: ({ length }: Buffer): void => {
      received += length;
      if (received > maxBytes) throw tooLarge(maxBytes);
    },
  };
}

function reserve(isTaken: boolean): void {
  if (!isTaken) throw noRoomForBody();
}

function openParser({ headers }: Request): BusboyInstance {
  try {
    return new Busboy({
      headers: { ...headers, 'content-type': headers['content-type'] ?? '' },
      isPartAFile: () => true, // a field is held as a string, without a memory limit
      preservePath: true,
      limits: { parts: MAX_FILES + 1, headerPairs: 20, headerSize: 8_192 },
    });
  } catch (error) {
    throw validationError('The multipart body has no boundary', error);
  }
}

/**
 * Adds files to the fields of a capture.
 * @throws ServiceError ValidationError if the fields have files themselves
 */
export function withFiles(fields: unknown, files: Files): unknown {
  if (Object.keys(files).length === 0 || !isJsonObject(fields)) return fields;
  if (fields['files'] !== undefined) {
    throw validationError(`files: must not be in the part ${JSON_PART} if other parts have files`);
  }
  return { ...fields, files };
}

/** Adds files to the capture of a job. */
export function withFilesOfJob(body: unknown, files: Files): unknown {
  return isJsonObject(body) ? { ...body, capture: withFiles(body['capture'], files) } : body;
}
