import { readFileSync } from 'node:fs';
import { codeOf, MAX_LIST_BYTES } from './list-files.ts';
import { NoListError, type ParsedLists, parseLists } from './parse-lists.ts';

/** What this process tells the one that started it: once, as its last word. */
export type ParserMessage = ParsedLists | { readonly problem: string };

// A process of its own: the paths are its arguments, the lists go back over the channel, and what it took of memory goes with it.
process.send?.(parse(process.argv.slice(2)), undefined, undefined, () => process.disconnect());

function parse(paths: readonly string[]): ParserMessage {
  try {
    const files = paths.map((path) => readFileSync(path));
    const bytes = files.reduce((sum, { length }) => sum + length, 0);
    if (bytes > MAX_LIST_BYTES) return { problem: `together they are larger than ${MAX_LIST_BYTES} bytes` };
    return parseLists(files.map((file) => new TextDecoder().decode(file)));
  } catch (error) {
    return { problem: describe(error) };
  }
}

/** Never the message of a stranger: a parser's own may quote what it read. */
function describe(error: unknown): string {
  if (error instanceof NoListError) return error.message;
  return `one of them can not be read${codeOf(error)}`;
}
