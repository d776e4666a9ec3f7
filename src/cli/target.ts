import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { text } from 'node:stream/consumers';
import { UsageError } from './exit.ts';
import { isMarkdownFile, readLinkedFiles } from './linked-files.ts';
import { STANDARD_STREAM } from './output.ts';

interface TargetFields {
  readonly url?: string;
  readonly html_content?: string;
  readonly markdown_content?: string;
  readonly files?: Readonly<Record<string, Uint8Array>>;
}

/**
 * Returns the fields for the target: a URL, or a file or standard input (`-`) with HTML. A file comes with the files that it links to, and
 * may be Markdown.
 * @throws UsageError if it is neither
 */
export async function readTarget(target: string, stdin: NodeJS.ReadableStream): Promise<TargetFields> {
  if (/^https?:\/\//i.test(target)) return { url: target };
  const content = await readInput(target, stdin);
  if (target === STANDARD_STREAM) return { html_content: content };
  const files = await readLinkedFiles(target, content);
  const source = isMarkdownFile(extname(target)) ? { markdown_content: content } : { html_content: content };
  return { ...source, ...(Object.keys(files).length > 0 && { files }) };
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
      /^([\w-]+(\.[\w-]+)+|localhost(:\d+)?)([/?].*)?$/.test(path) &&
      !/\.(html?|md|markdown|jsonl?)$/.test(path);
    const hint = isHost ? ` For an address write https://${path}` : '';
    throw new UsageError(`There is no file ${path} that can be read.${hint}`, { cause: error });
  }
}
