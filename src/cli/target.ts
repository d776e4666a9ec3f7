import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { UsageError } from './exit.ts';
import { STANDARD_STREAM } from './output.ts';

/**
 * Returns the fields for the target: a URL, or the HTML of a file or of standard input (`-`).
 * @throws UsageError if it is neither
 */
export async function readTarget(
  target: string,
  stdin: NodeJS.ReadableStream,
): Promise<{ readonly url: string } | { readonly html_content: string }> {
  if (/^https?:\/\//i.test(target)) return { url: target };
  return { html_content: await readInput(target, stdin) };
}

/**
 * Returns the text of a file, or of standard input for `-`.
 * @throws UsageError if it can't be read
 */
export async function readInput(path: string, stdin: NodeJS.ReadableStream): Promise<string> {
  if (path === STANDARD_STREAM) return await text(stdin);
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    const isHost =
      /^([\w-]+(\.[\w-]+)+|localhost(:\d+)?)([/?].*)?$/.test(path) && !/\.(html?|jsonl?)$/.test(path);
    const hint = isHost ? ` For an address write https://${path}` : '';
    throw new UsageError(`There is no file ${path} that can be read.${hint}`, { cause: error });
  }
}
