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
    const isInline = owner.localName === 'style';
    const plain = media === 'all' || media === 'print' ? '' : media;
    listed.push({
      url: isInline ? document.baseURI : (sheet.href ?? ''),
      text: isInline ? owner.textContent : null,
      media: plain,
    });
  }
  return listed;
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
