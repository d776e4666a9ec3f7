import { readFile, stat } from 'node:fs/promises';
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

/** `host:port`, `host/path`, a name with dots, or an address. */
const HOST =
  /^(?:(?<local>localhost|(?:[\w-]+\.)*localhost|\d{1,3}(?:\.\d{1,3}){3}|\[[\da-f:.]+\]|[\w-]+(?=:\d))|[\w-]+(?:\.[\w-]+)+)(?::\d{1,5})?(?:[/?#].*)?$/i;
const FILE_EXTENSIONS = /\.(?:html?|md|markdown|jsonl?|txt)$/i;

/**
 * Returns the fields for the target: a URL, or a file or standard input (`-`) with HTML. A URL may lack its scheme. A
 * file comes with the files that it links to, and may be Markdown.
 * @throws UsageError if it is neither
 */
export async function readTarget(target: string, stdin: NodeJS.ReadableStream): Promise<TargetFields> {
  if (/^https?:\/\//i.test(target)) return { url: target };
  if (target === STANDARD_STREAM) return { html_content: await readInput(target, stdin) };
  const url = await urlOf(target);
  if (url !== undefined) return { url };
  const content = await readInput(target, stdin);
  const files = await readLinkedFiles(target, content);
  const source = isMarkdownFile(extname(target)) ? { markdown_content: content } : { html_content: content };
  return { ...source, ...(Object.keys(files).length > 0 && { files }) };
}

/**
 * Returns the URL of an address without a scheme. Undefined for the name of a file. Private addresses get `http:`,
 * because their servers rarely have a certificate.
 */
async function urlOf(target: string): Promise<string | undefined> {
  const found = HOST.exec(target);
  if (found === null || FILE_EXTENSIONS.test(target)) return undefined;
  const isFile = await stat(target).then(
    () => true,
    () => false,
  );
  if (isFile) return undefined;
  return `${found.groups?.['local'] === undefined ? 'https' : 'http'}://${target}`;
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
    throw new UsageError(`There is no file ${path} that can be read.`, { cause: error });
  }
}
