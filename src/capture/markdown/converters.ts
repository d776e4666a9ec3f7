import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

let reading: Promise<string> | undefined; // as a module is kept: it is the same for everyone, and never changes

/**
 * Readability and Turndown as one expression for the page, read on first use. They see no window and no document: what they are given
 * is enough, and what they would try out with the page's own is forbidden by some pages, which are told of it.
 */
export function readConverters(): Promise<string> {
  reading ??= readFiles().catch((error: unknown) => {
    reading = undefined; // too many files are open: not for ever
    throw error;
  });
  return reading;
}

async function readFiles(): Promise<string> {
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
