/** A style sheet of the document. `text` for a `style` element, otherwise it was loaded from `url`. */
export interface ListedSheet {
  readonly url: string;
  readonly text: string | null;
  /** Media query of the element. Empty: none. */
  readonly media: string;
}

/** Lists the style sheets of the document that apply to paper, in their order. Runs in the page. */
export function listSheets(most: number): ListedSheet[] {
  const listed: ListedSheet[] = [];
  for (const sheet of Array.from(document.styleSheets)) {
    const owner = sheet.ownerNode;
    if (listed.length === most || sheet.disabled || !(owner instanceof Element)) continue;
    const media = sheet.media.mediaText;
    if (/^\s*(?:only\s+)?(?:screen|speech)\b(?!.*\b(?:all|print)\b)/.test(media)) continue;
    if (owner instanceof HTMLLinkElement && owner.relList.contains('alternate')) continue;
    const isInline = owner.localName === 'style';
    const plain = media === 'all' || media === 'print' ? '' : media;
    listed.push({
      url: isInline ? document.baseURI : (sheet.href ?? ''),
      text: isInline ? textOf(owner, sheet) : null,
      media: plain,
    });
  }
  return listed;
}

/** Scripts may have added rules to an empty element. */
function textOf(owner: Element, sheet: CSSStyleSheet): string {
  const text = owner.textContent ?? '';
  return text.trim() === '' ? Array.from(sheet.cssRules, ({ cssText }) => cssText).join('\n') : text;
}

/** An `@import` in a text: where it stands, and what it names. */
export interface Import {
  readonly at: number;
  readonly length: number;
  readonly url: string;
  readonly media: string;
}

// Bounded, so that a text which is made to be slow to search costs time in its length alone.
const IMPORT = /@import\s{1,9}(?:url\(\s{0,9})?["']?([^"')\s;]{1,2000})["']?\s{0,9}\)?([^;{}]{0,2000});/g;
const ADDRESS = /url\(\s{0,9}(["']?)((?!data:|#)[^"')\s][^"')]{0,2000}?)\1\s{0,9}\)/g;

/**
 * Returns a sheet and what it imports. Its addresses are made absolute: relative ones would mean others in the
 * document. Runs in the page, so that no other capture waits for a text that is slow to search.
 */
export function readRules(url: string, text: string): { readonly text: string; readonly imports: readonly Import[] } {
  const absolute = (address: string): string => URL.parse(address.trim(), url)?.href ?? address;
  const whole = text.replaceAll(
    ADDRESS,
    (_, quote: string, address: string) => `url(${quote}${absolute(address)}${quote})`,
  );
  const imports = Array.from(whole.matchAll(IMPORT), ({ 0: found, 1: address = '', 2: rest = '', index }) => ({
    at: index,
    length: found.length,
    url: absolute(address),
    // Rules are used without their layer and their condition `supports`.
    media: rest.replaceAll(/\b(?:layer|supports)(?:\([^)]*\))?/g, '').trim(),
  }));
  return { text: whole, imports };
}

/** Returns the text of a sheet of the page's own site. Null for others. Runs in the page. */
export async function fetchSheet(url: string): Promise<string | null> {
  if (URL.parse(url)?.origin !== location.origin) return null;
  try {
    const answer = await fetch(url, { cache: 'force-cache', signal: AbortSignal.timeout(2_000) });
    return answer.ok ? await answer.text() : null;
  } catch {
    return null;
  }
}
