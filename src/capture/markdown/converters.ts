import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

let reading: Promise<string> | undefined; // cached like a module: constant

/**
 * Returns Readability and Turndown as one expression for the page, loaded on first use. They get no window and no
 * document: they need neither, and their feature tests violate the security policy of some pages, which report it.
 */
export function readConverters(): Promise<string> {
  reading ??= readFiles().catch((error: unknown) => {
    reading = undefined; // too many open files: a temporary error
    throw error;
  });
  return reading;
}

async function readFiles(): Promise<string> {
  const [readability, turndown] = await Promise.all(
    [import.meta.resolve('@mozilla/readability/Readability.js'), import.meta.resolve('turndown/dist/turndown.js')].map(
      (address) => readFile(fileURLToPath(address), 'utf8'),
    ),
  );
  return `(() => {
const window = undefined, document = undefined, module = undefined;
${readability}
;${turndown}
;return { Readability, TurndownService };
})()`;
}
