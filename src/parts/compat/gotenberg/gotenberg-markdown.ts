import MarkdownIt from 'markdown-it';
import footnotes from 'markdown-it-footnote';
import { createMarkdown } from '../../../features/markdown/create-markdown.ts';
import { validationError } from '../../../core/ground/errors.ts';
import { tooLarge } from '../../../core/http/request/byte-gatherer.ts';
import type { Form } from '../../../core/http/request/read-multipart.ts';

/** All texts together. The main thread converts them. */
const MAX_CHARACTERS = 50_000;
/** Cells of all tables, at most: 250 short rows below a row of 255 columns make 600 kB of HTML from 1.5 kB. */
const MAX_CELLS = 65_536;
/** Maximum number of footnotes: 3,000 in 50,000 characters kept the main thread busy for half a second. */
const MAX_NOTES = 1_000;
/** Length of a page with its texts, at most. Sixty pages of 19 MB at once kept the main thread busy for 10 s. */
const MAX_LENGTH = 5_000_000;
const PLACE = /\{\{\s*toHTML\s+(?:\.DirPath\s+)?"([^"\n]{1,200})"\s*\}\}/g;

/**
 * Puts the HTML of Markdown files into the places `{{ toHTML "file.md" }}` of a page. HTML in the texts is escaped.
 * @throws ServiceError ValidationError if a named file is missing, if the page has no such place, or if the texts are
 * too long; PayloadTooLargeError if the page becomes too large
 */
export function insertMarkdown(page: string, files: Form['files'], maxBytes: number): string {
  const most = Math.min(maxBytes, MAX_LENGTH);
  const markdown = createMarkdown({ MarkdownIt, footnotes });
  const rendered = new Map<string, string>();
  let [characters, cells, notes, length] = [0, 0, 0, page.length];
  for (const [, name = ''] of page.matchAll(PLACE)) {
    const file = Object.hasOwn(files, name) ? files[name] : undefined;
    if (file === undefined) throw validationError(`form file '${name}' is required`);
    if (!rendered.has(name)) {
      const text = textOfFile(file);
      characters += text.length;
      cells += mostCellsOf(text);
      notes += text.split('[^').length - 1;
      if (characters > MAX_CHARACTERS || cells > MAX_CELLS || notes > MAX_NOTES) {
        const limits = `${MAX_CHARACTERS} characters, ${MAX_CELLS} cells of tables and ${MAX_NOTES} footnotes`;
        throw validationError(`the Markdown may have at most ${limits}; /capture takes more`);
      }
      rendered.set(name, markdown.render(text));
    }
    length += rendered.get(name)?.length ?? 0;
    if (length > most) throw tooLarge(most);
  }
  if (rendered.size === 0) throw validationError('index.html must contain {{ toHTML "file.md" }}');
  return page.replaceAll(PLACE, (_place, name: string) => rendered.get(name) ?? '');
}

/** Lines times the most columns of a line: rows with fewer cells get empty ones. */
function mostCellsOf(text: string): number {
  const lines = text.split('\n');
  return lines.length * Math.max(...lines.map((line) => line.split('|').length - 1));
}

/** Returns the text of a file of the form. */
export function textOfFile(base64: string): string {
  return Buffer.from(base64, 'base64').toString('utf8');
}
