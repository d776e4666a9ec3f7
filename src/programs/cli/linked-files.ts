import { readFile, realpath, stat } from 'node:fs/promises';
import { dirname, extname, join, posix, sep } from 'node:path';
import { fileNameProblem, MAX_FILES, MAX_FILES_BYTES } from '../../core/capture/request/source-fields.ts';
import { UsageError } from './exit.ts';

/** Addresses in HTML that load something; links and forms do not. */
const IN_HTML = /<(?:img|script|link|source|video|audio|track|embed|iframe|input|image|use|object)\b[^>]{0,10000}>/gi;
const ADDRESS = /\s(?:src|href|xlink:href|poster|data|srcset|imagesrcset)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+))/gi;
const IN_CSS = /url\(\s*(?:"([^"\n]*)"|'([^'\n]*)'|([^\s"')]+))\s*\)|@import\s+(?:"([^"\n]*)"|'([^'\n]*)')/gi;
const IN_MARKDOWN = /!\[[^\]]{0,1000}\]\(\s*(?:<([^>\n]*)>|([^\s)]+))/g;

/**
 * Kinds of files that pages load. A page of somebody else must not get other files of its folder: its scripts could
 * send them away.
 */
const LOADABLE =
  /^(?:css|m?js|png|jpe?g|gif|webp|avif|svg|ico|bmp|woff2?|ttf|otf|eot|mp4|webm|mp3|ogg|wav|vtt|html?)$/i;

/**
 * Returns the files that a page on this machine loads by relative links, by their names: files of its folder, and what
 * its style sheets load. Leaves out hidden files, files that pages don't load, and links to missing files, out of the
 * folder or to sites.
 * @throws UsageError if there are too many, or they are too large
 */
export async function readLinkedFiles(path: string, markup: string): Promise<Readonly<Record<string, Uint8Array>>> {
  const folder = await realpath(dirname(path));
  const files = new Map<string, Uint8Array>();
  const found = linksIn(markup, extname(path)).map((link) => nameOf(link, ''));
  let bytes = 0;
  for (let name = found.shift(); name !== undefined || found.length > 0; name = found.shift()) {
    if (name === undefined || files.has(name)) continue;
    const content = await readInside(folder, name, MAX_FILES_BYTES - bytes);
    if (content === undefined) continue;
    bytes += content.length;
    files.set(name, content);
    if (files.size > MAX_FILES) throw new UsageError(`${path} loads more than ${MAX_FILES} files.`);
    if (extname(name).toLowerCase() !== '.css') continue;
    const sheet = name;
    found.push(...linksIn(content.toString('utf8'), '.css').map((link) => nameOf(link, posix.dirname(sheet))));
  }
  return Object.fromEntries(files);
}

function linksIn(text: string, extension: string): readonly string[] {
  if (/^\.css$/i.test(extension)) return allOf(IN_CSS, text);
  const inTags = [...text.matchAll(IN_HTML)].flatMap(([tag]) => allOf(ADDRESS, tag));
  const inText = isMarkdownFile(extension) ? allOf(IN_MARKDOWN, text) : allOf(IN_CSS, text);
  return [...inTags.flatMap(addressesOf), ...inText];
}

/** The first filled group of each match. */
function allOf(pattern: RegExp, text: string): readonly string[] {
  return [...text.matchAll(pattern)].flatMap((found) => found.slice(1).find((group) => group !== undefined) ?? []);
}

/** The addresses in a `srcset`, or the address itself. */
function addressesOf(text: string): readonly string[] {
  const candidates = text.split(/,\s+/).map((candidate) => candidate.trim().split(/\s+/)[0] ?? '');
  return text.includes(' ') ? [text, ...candidates] : [text];
}

/** True for the extension of a Markdown file. */
export function isMarkdownFile(extension: string): boolean {
  return /^\.(?:md|markdown)$/i.test(extension);
}

/** Returns the name of the file that a link in a folder leads to. Undefined if it leads elsewhere. */
function nameOf(link: string, folder: string): string | undefined {
  const [path = ''] = link.trim().split(/[?#]/, 1);
  if (path === '' || /^(?:[a-z][a-z0-9+.-]*:|\/)/i.test(path)) return undefined;
  try {
    const name = posix.join(folder, decodeURIComponent(path));
    const isHidden = name.split('/').some((part) => part.startsWith('.'));
    const isLoadable = !isHidden && LOADABLE.test(extname(name).slice(1));
    return isLoadable && fileNameProblem(name) === undefined ? name : undefined;
  } catch {
    return undefined; // not valid percent-encoding
  }
}

/** Reads a file of a folder. Undefined if there is none, also if a symbolic link leads out of the folder. */
async function readInside(folder: string, name: string, room: number): Promise<Buffer | undefined> {
  const path = await realpath(join(folder, name)).catch(() => undefined);
  if (path === undefined || !path.startsWith(`${folder}${sep}`)) return undefined;
  const found = await stat(path);
  if (!found.isFile()) return undefined;
  if (found.size > room) {
    throw new UsageError(`The files beside the page have more than ${MAX_FILES_BYTES} bytes, with ${name}.`);
  }
  return await readFile(path);
}
