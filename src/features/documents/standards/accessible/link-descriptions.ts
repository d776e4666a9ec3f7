import { setImmediate } from 'node:timers/promises';
import type { PdfFile } from '../../pdf-file.ts';
import { textsOf, textString } from '../../pdf-text.ts';
import { AT_ONCE } from './structure.ts';

/** Description of a link whose address is left out. */
const NOWHERE = 'link';

/** Returns the annotations of links with a description, which Chrome leaves out (Chromium 153). */
export async function describeLinks(
  file: PdfFile,
  links: ReadonlyMap<string, string>,
): Promise<ReadonlyMap<number, string>> {
  const described = new Map<number, string>();
  for (const page of file.pages()) {
    const [, annotations = ''] = /\/Annots \[([^\]]*)\]/.exec(file.objectText(page)) ?? [];
    for (const [, digits] of annotations.matchAll(/(\d+) 0 R/g)) {
      if (described.size % AT_ONCE === 0) await setImmediate();
      const text = file.objectText(Number(digits));
      if (/\n\/Contents /.test(text)) continue;
      const address = addressOf(text);
      const description = textString(links.get(address) ?? (address.replace(/^#/, '') || NOWHERE));
      described.set(
        Number(digits),
        text.replace(/>>\s*$/, () => `\n/Contents ${description}>>`),
      );
    }
  }
  return described;
}

function addressOf(annotation: string): string {
  const [, place] = /\n\/Dest \/(\S+)/.exec(annotation) ?? [];
  if (place === undefined) return textsOf(annotation).get('URI') ?? '';
  const written = place.replaceAll(/#([\dA-Fa-f]{2})/g, (_whole, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
  return `#${decodedPlace(written)}`;
}

/** Chrome escapes the names of places in a page as in addresses. */
function decodedPlace(written: string): string {
  try {
    return decodeURIComponent(written);
  } catch {
    return written; // a percent sign of its own
  }
}
