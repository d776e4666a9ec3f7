import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { ScriptEndedError } from '../../core/browser/browser-errors.ts';
import type { Page } from '../../core/browser/page/page.ts';
import { ServiceError } from '../../core/ground/errors.ts';
import { LIMIT_MS } from '../../core/ground/time-limits.ts';
import { PART_LENGTH, readSource } from '../../core/capture/formats/read-source.ts';
import { renderMarkdown } from './in-page/render-markdown.ts';

/** Maximum size of the HTML that a text makes: nested quotes make it several times larger. */
const MAX_HTML_BYTES = 104_857_600;

/** Style of the page: readable on screen, in dark mode and on paper, for writing in both directions. */
const STYLE = `
:root { color-scheme: light dark; font: 16px/1.55 system-ui, sans-serif; overflow-wrap: break-word }
main { max-width: 46rem; margin: 2rem auto; padding: 0 1rem }
h1, h2, h3, h4, h5, h6 { line-height: 1.25; margin: 1.6em 0 .6em; break-after: avoid }
h1:first-child { margin-top: 0 }
h1, h2, h3, h4, h5, h6, p, li, th, td { unicode-bidi: plaintext; text-align: start }
img { max-width: 100% }
code, pre { font: .9em/1.45 ui-monospace, monospace }
code { background: #8882; padding: .1em .3em; border-radius: 3px }
pre { background: #8882; padding: .8em 1em; border-radius: 4px; overflow: auto }
pre code { background: none; padding: 0 }
blockquote { margin-inline: 0; padding-inline-start: 1em; border-inline-start: 4px solid #8886 }
.alert { border-color: #2f81f7 }
.tip { border-color: #2da44e }
.important { border-color: #8957e5 }
.warning { border-color: #bf8700 }
.caution { border-color: #cf222e }
table { border-collapse: collapse }
.task-list-item { list-style: none }
.task-list-item > input, .task-list-item > p:first-child > input { margin: 0 .4em 0 -1.4em }
.footnotes { font-size: .875em }
th, td { border: 1px solid #8888; padding: .3em .7em }
.contents ul { list-style: none; padding: 0 }
.contents .level-2 { margin-inline-start: 1.5em }
.contents .level-3 { margin-inline-start: 3em }
.page-break { break-after: page }
hr { border: 0; border-top: 1px solid #8888 }
@media print {
  :root { font-size: 11pt }
  main { max-width: none; margin: 0; padding: 0 }
  pre { white-space: pre-wrap; overflow: visible }
  p, li { orphans: 3; widows: 3 }
  tr, img { break-inside: avoid }
  .long { overflow-wrap: anywhere; min-width: 6em }
  table:has(th:nth-child(9), td:nth-child(9)) { font-size: 8pt }
  table:has(th:nth-child(9), td:nth-child(9)) :is(th, td) { min-width: 0; padding: .2em .3em; overflow-wrap: anywhere }
}`;

/**
 * Returns the HTML document of a Markdown text. Converted in the page, where a text that takes long stops nothing else.
 * @throws ServiceError TimeoutError if it takes too long
 */
export async function markdownPage(page: Page, text: string): Promise<string> {
  const bounds = { maxLength: MAX_HTML_BYTES, partLength: PART_LENGTH };
  const expression = await readPackages(text.includes('$'));
  try {
    const made = await page.evaluateWith({ expression, limitMs: LIMIT_MS.convert }, renderMarkdown, {
      text,
      style: STYLE,
      ...bounds,
    });
    return (await readSource(page, made, MAX_HTML_BYTES)).toString('utf8');
  } catch (error) {
    if (!(error instanceof ScriptEndedError)) throw error;
    throw new ServiceError('TimeoutError', 'The Markdown is too large', {
      details: `markdown_content: could not be converted within ${LIMIT_MS.convert} ms`,
      cause: error,
    });
  }
}

const reading = new Map<boolean, Promise<string>>(); // cached like modules: constants

/** Returns the packages for Markdown as an expression for the page, loaded on first use. KaTeX only for formulas. */
function readPackages(hasFormulas: boolean): Promise<string> {
  const known = reading.get(hasFormulas);
  if (known !== undefined) return known;
  const MarkdownIt = import.meta
    .resolve('markdown-it/browser')
    .replace(/markdown-it\.[\w.]+$/, 'markdown-it.umd.min.js');
  const footnotes = import.meta.resolve('markdown-it-footnote/dist/markdown-it-footnote.min.js');
  const katex = import.meta.resolve('katex/dist/katex.min.js');
  const read = Promise.all(
    Object.entries({ MarkdownIt, footnotes, ...(hasFormulas && { katex }) }).map(readMember),
  ).then(
    (members) => `({ ${members.join(', ')} })`,
    (error: unknown) => {
      reading.delete(hasFormulas); // too many open files: a temporary error
      throw error;
    },
  );
  reading.set(hasFormulas, read);
  return read;
}

async function readMember([name, address]: readonly [string, string]): Promise<string> {
  const code = await readFile(fileURLToPath(address), 'utf8');
  return `${name}: (() => { const exports = {}, module = { exports }; ${code}\n;return module.exports; })()`;
}
