import type { Page } from '../../core/browser/page/page.ts';
import { fetchSheet, listSheets } from './in-page/list-sheets.ts';

/** Style sheets of a page, and the characters of all of them. */
const MOST_SHEETS = 200;
const MOST_CHARACTERS = 2_000_000;
/** Style sheets that import each other. */
const MOST_LEVELS = 5;
const IMPORT = /@import\s+(?:url\(\s*)?["']?([^"')\s;]+)["']?\s*\)?([^;]*);/g;

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
  const withImports = async (sheet: SheetText, level: number): Promise<string> => {
    left -= sheet.text.length;
    if (left < 0 || level > MOST_LEVELS) return '';
    const own = withAbsoluteAddresses(sheet);
    const parts: string[] = [];
    let at = 0;
    for (const { 0: whole, 1: address = '', 2: media = '', index } of own.matchAll(IMPORT)) {
      const imported = await withImports({ url: address, text: await read(address) }, level + 1);
      parts.push(own.slice(at, index), media.trim() === '' ? imported : `@media ${media} {${imported}}`);
      at = index + whole.length;
    }
    return [...parts, own.slice(at)].join('');
  };
  const sheets: SheetText[] = [];
  for (const { url, text, media } of listed) {
    const written = text ?? (await read(url));
    const whole = await withImports({ url, text: written }, 1);
    sheets.push({ url, text: media === '' ? whole : `@media ${media} {${whole}}` });
  }
  return sheets;
}

/** The rules move into the document, where relative addresses would mean others. */
function withAbsoluteAddresses({ url, text }: SheetText): string {
  const absolute = (address: string): string => URL.parse(address, url)?.href ?? address;
  return text
    .replaceAll(/url\(\s*(["']?)((?!data:|#)[^"')]+)\1\s*\)/g, (_, quote: string, address: string) => {
      return `url(${quote}${absolute(address.trim())}${quote})`;
    })
    .replaceAll(/(@import\s+)(["'])([^"']+)\2/g, (_, start: string, quote: string, address: string) => {
      return `${start}${quote}${absolute(address)}${quote}`;
    });
}
