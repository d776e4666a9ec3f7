import type { Page } from '../../core/browser/page/page.ts';
import { ServiceError } from '../../core/ground/errors.ts';
import { fetchSheet, listSheets, readRules } from './in-page/list-sheets.ts';

/** Style sheets of a page, and the characters of all of them. */
const MOST_SHEETS = 200;
const MOST_CHARACTERS = 2_000_000;
/** Style sheets that import each other. */
const MOST_LEVELS = 5;

/** A style sheet as its author has written it. The browser's own objects lack the rules that it does not know. */
export interface SheetText {
  readonly url: string;
  readonly text: string;
}

/**
 * Returns the style sheets of the page with those that they import, in their order, with absolute addresses. Those of
 * other sites, too: the browser has loaded them.
 */
export async function readSheets(page: Page): Promise<readonly SheetText[]> {
  const listed = await page.evaluate(listSheets, MOST_SHEETS);
  let left = MOST_CHARACTERS;
  const read = async (url: string): Promise<string> => {
    // The browser reads a sheet again as Latin-1 if its server names no encoding; the page may read those of its site.
    const own = await page.evaluate(fetchSheet, url);
    if (own !== null) return own;
    const loading = page.send('Page.getResourceContent', { frameId: page.mainFrameId, url });
    const { content, base64Encoded: isBase64 } = await loading.catch(() => ({ content: '', base64Encoded: false }));
    return isBase64 ? Buffer.from(content, 'base64').toString() : content;
  };
  const withImports = async ({ url, text }: SheetText, level: number): Promise<string> => {
    left -= text.length;
    if (left < 0) throw tooLong();
    if (level > MOST_LEVELS) return '';
    const { text: own, imports } = await page.evaluate(readRules, url, text);
    const parts: string[] = [];
    let end = 0;
    for (const { at, length, url: address, media } of imports) {
      const imported = await withImports({ url: address, text: await read(address) }, level + 1);
      parts.push(own.slice(end, at), media === '' ? imported : `@media ${media} {${imported}}`);
      end = at + length;
    }
    return [...parts, own.slice(end)].join('');
  };
  const sheets: SheetText[] = [];
  for (const { url, text, media } of listed) {
    const written = text ?? (await read(url));
    const whole = await withImports({ url, text: written }, 1);
    sheets.push({ url, text: media === '' ? whole : `@media ${media} {${whole}}` });
  }
  return sheets;
}

function tooLong(): ServiceError {
  const details = `paged_media: the style sheets have more than ${MOST_CHARACTERS} characters`;
  return new ServiceError('PageRejectedError', undefined, { details });
}
