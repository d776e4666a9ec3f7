import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { UsageError } from './exit.ts';
import { STANDARD_STREAM } from './output.ts';

/**
 * What to capture, as the fields that say so: an address, or the markup of a file or of standard input (`-`).
 * @throws UsageError for what is neither
 */
export async function readTarget(
  target: string,
  stdin: NodeJS.ReadableStream,
): Promise<{ readonly url: string } | { readonly html_content: string }> {
  if (/^https?:\/\//i.test(target)) return { url: target };
  return { html_content: await readInput(target, stdin) };
}

/**
 * The text of a file, or of standard input for `-`.
 * @throws UsageError when it can't be read
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
