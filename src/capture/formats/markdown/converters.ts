import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

/**
 * Readability and Turndown as one expression for the page, read on first use. They see no window and no document: what they are given
 * is enough, and what they would try out with the page's own is forbidden by some pages, which are told of it.
 */
export async function readConverters(): Promise<string> {
  const [readability, turndown] = await Promise.all(
    [
      import.meta.resolve('@mozilla/readability/Readability.js'),
      import.meta.resolve('turndown/dist/turndown.js'),
    ].map((address) => readFile(fileURLToPath(address), 'utf8')),
  );
  return `(() => {
const window = undefined, document = undefined, module = undefined;
${readability}
;${turndown}
;return { Readability, TurndownService };
})()`;
}
