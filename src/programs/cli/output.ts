import { writeFile } from 'node:fs/promises';
import { dirname, extname } from 'node:path';
import { FORMAT_NAMES, type FormatName } from '../../core/capture/formats/format-names.ts';
import { FORMATS } from '../../core/capture/request/formats.ts';
import type { CaptureRequest } from '../client/capture-request.ts';
import { makeFolders } from '../../core/ground/make-folders.ts';
import { OutputError, UsageError } from './exit.ts';

/** Path that means standard output. */
export const STANDARD_STREAM = '-';

const OTHER_EXTENSIONS: Readonly<Record<string, FormatName>> = {
  jpg: 'jpeg',
  htm: 'html',
  md: 'markdown',
  mht: 'mhtml',
};

/** Extension of a JSON answer, which contains the file of any format. */
const DATA_EXTENSION = 'json';

/**
 * Returns the fields that the extension of an output file implies.
 * @throws UsageError for an unknown extension
 */
export function fieldsFor(output: string, fields: CaptureRequest): CaptureRequest {
  const isData = extname(output).toLowerCase() === `.${DATA_EXTENSION}`;
  if (isData && output !== STANDARD_STREAM) return { response_type: 'json', ...fields };
  if (fields.response_type === 'json') return fields;
  const format = fields.format ?? formatOf(output);
  return format === undefined ? fields : { ...fields, format };
}

/**
 * Returns the format that the extension implies. Undefined for standard output and names without an extension.
 * @throws UsageError for an unknown extension
 */
function formatOf(output: string): FormatName | undefined {
  const extension = output === STANDARD_STREAM ? '' : extname(output).slice(1).toLowerCase();
  if (extension === '') return undefined;
  const format = FORMAT_NAMES.find((name) => name === extension) ?? OTHER_EXTENSIONS[extension];
  if (format !== undefined) return format;
  throw new UsageError(
    `No format has the extension of ${output}: use ${FORMAT_NAMES.join(', ')}, or set the format with --format.`,
  );
}

/** Returns the extension for these fields. The service refuses unknown formats. */
export function extensionOf({
  format,
  response_type: responseType,
  selector_each: isEach,
}: {
  readonly format?: unknown;
  readonly response_type?: unknown;
  readonly selector_each?: unknown;
}): string {
  if (responseType === 'json' || isEach === true) return DATA_EXTENSION;
  const name = FORMAT_NAMES.find((each) => each === format);
  if (name !== undefined) return FORMATS[name].extension;
  return typeof format === 'string' ? format : 'png';
}

/** Returns the extension for a content type of the service: `bin` for an unknown one. */
export function extensionOfType(contentType: string): string {
  if (contentType.startsWith('application/json')) return DATA_EXTENSION;
  return Object.values(FORMATS).find(({ mimeType }) => mimeType === contentType)?.extension ?? 'bin';
}

/** Returns the path with the extension of a content type. */
export function withExtension(output: string, contentType: string): string {
  return `${output.slice(0, output.length - extname(output).length)}.${extensionOfType(contentType)}`;
}

/**
 * Writes the file and creates its folders, or writes to standard output.
 * @throws OutputError
 */
export async function writeOutput(output: string, bytes: Uint8Array, stdout: NodeJS.WritableStream): Promise<void> {
  if (output === STANDARD_STREAM) {
    await writeTo(stdout, bytes);
    return;
  }
  try {
    makeFolders(dirname(output));
    await writeFile(output, bytes);
  } catch (error) {
    throw new OutputError(output, error);
  }
}

/**
 * Resolves when everything is written.
 * @throws OutputError
 */
export async function writeTo(stdout: NodeJS.WritableStream, content: Uint8Array | string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    stdout.write(content, (error) => (error == null ? resolve() : reject(new OutputError('standard output', error))));
  });
}
