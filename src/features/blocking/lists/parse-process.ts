import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { type Call, serveCalls } from '../../../core/processes/peer-calls.ts';
import { codeOf, MAX_LIST_BYTES } from './filter-list-files.ts';
import { NoListError, type ParsedLists, parseLists } from './parse-lists.ts';

/** The answer of this process. */
export type ParserMessage = ParsedLists | { readonly problem: string };

// Child process that parses lists, for one call with their paths. Its memory is freed when it is killed.
serveCalls({ run: ({ args }: Call<readonly string[]>) => parse(args) });

function parse(paths: readonly string[]): ParserMessage {
  try {
    let left = MAX_LIST_BYTES;
    const texts = paths.map((path) => {
      const bytes = readFile(path, left);
      left -= bytes.length;
      return new TextDecoder().decode(bytes);
    });
    return parseLists(texts);
  } catch (error) {
    return { problem: describe(error) };
  }
}

/**
 * Reads a file. By now it may be a pipe, which returns nothing, or a device, which never ends.
 * @throws NoListError for these, and above `limit` bytes
 */
function readFile(path: string, limit: number): Buffer {
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const found = fstatSync(file);
    if (!found.isFile()) throw new NoListError('one of them is not a file');
    if (found.size > limit) throw new NoListError(`together they are larger than ${MAX_LIST_BYTES} bytes`);
    const bytes = Buffer.alloc(found.size);
    let length = 0;
    for (let read = -1; read !== 0 && length < bytes.length; length += read)
      read = readSync(file, bytes, length, bytes.length - length, null);
    return bytes.subarray(0, length);
  } finally {
    closeSync(file);
  }
}

/** Never sends the message of errors from other code: a parser's message may quote the list. */
function describe(error: unknown): string {
  if (error instanceof NoListError) return error.message;
  return `one of them can't be read${codeOf(error)}`;
}
