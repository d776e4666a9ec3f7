import MarkdownIt from 'markdown-it';
import { validationError } from '../../errors.ts';

/**
 * All texts together, counted for each place. The main thread converts them, in the worst case found in 40 ms
 * (2026-11-25).
 */
const MAX_CHARACTERS = 50_000;
const PLACE = /\{\{\s*toHTML\s+(?:\.DirPath\s+)?"([^"\n]{1,200})"\s*\}\}/g;

/**
 * Puts the HTML of Markdown files into the places `{{ toHTML "file.md" }}` of a page. HTML in the texts is escaped.
 * @throws ServiceError ValidationError if a named file is missing, if the page has no such place, or if the texts are
 * too long
 */
export function insertMarkdown(
  page: string,
  files: Readonly<Record<string, string>>,
  textOf: (base64: string) => string,
): string {
  const texts = new Map<string, string>();
  let characters = 0;
  for (const [, name = ''] of page.matchAll(PLACE)) {
    const file = Object.hasOwn(files, name) ? files[name] : undefined;
    if (file === undefined) throw validationError(`form file '${name}' is required`);
    const text = texts.get(name) ?? textOf(file);
    characters += text.length + 1;
    if (characters > MAX_CHARACTERS) {
      throw validationError(`the Markdown may have at most ${MAX_CHARACTERS} characters; /capture takes more`);
    }
    texts.set(name, text);
  }
  if (texts.size === 0) throw validationError('index.html must contain {{ toHTML "file.md" }}');
  const markdown = new MarkdownIt({ html: false });
  const rendered = new Map([...texts].map(([name, text]) => [name, markdown.render(text)]));
  return page.replaceAll(PLACE, (_place, name: string) => rendered.get(name) ?? '');
}
