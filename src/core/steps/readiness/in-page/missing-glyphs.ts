import { createGlyphTest } from '../../in-page/missing-scripts.ts';
import { computed, documentOf, isDocument, isRendered, parentElementOf, read } from '../../in-page/nodes.ts';
import { rootsOf } from '../../in-page/roots-of.ts';

/** Most characters and texts that are looked at, and most characters that are drawn: a glyph takes 0.1 ms. */
const MOST = { characters: 20_000, texts: 50_000, drawn: 100 };
/** How many characters of each block of 256 are drawn. A font has nearly all of a script, or nothing. */
const SAMPLES = 2;
/** Letters and symbols beyond the Latin blocks, which every machine has. Marks and spaces have no glyph. */
const RARE = /(?![\p{M}\p{Z}\p{Cc}\p{Cf}\p{Cn}\p{Cs}\u2000-\u206F])[\u0250-\u{10FFFF}]/gu;
/** Beyond the Latin blocks, without the rest of `RARE`: that takes 0.4 ms to compile (Chromium 153, 2026-11-29). */
const MAY_BE_RARE = /[^\0-\u024F]/;

/** True if text that is shown has a character that no font has: it is a box, or nothing. Runs in the page. */
export function hasMissingGlyphs(): boolean {
  const samples = new Map<string, readonly [character: string, family: string]>();
  let left = MOST.characters;
  let texts = MOST.texts;
  for (const root of rootsOf()) {
    const whole = isDocument(root) ? read(Document.prototype, root, 'documentElement') : root;
    if (whole === null || !hasRare(whole)) continue;
    const walker = Document.prototype.createTreeWalker.call(documentOf(root), whole, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node !== null && left > 0 && texts-- > 0; node = walker.nextNode()) {
      const parent = parentElementOf(node) ?? hostOf(root);
      let family: string | undefined;
      if (!hasRare(node)) continue;
      for (const [character] of textOf(node).matchAll(RARE)) {
        if (left-- === 0 || parent === null) break;
        family ??= isRendered(parent, { visibilityProperty: true }) ? computed(parent).fontFamily : '';
        if (family === '') break;
        addSample(samples, character, family);
      }
    }
  }
  if (samples.size === 0) return false;
  const hasNoGlyph = createGlyphTest();
  return [...samples.values()].slice(0, MOST.drawn).some(([character, family]) => hasNoGlyph(character, family));
}

function hostOf(root: Document | ShadowRoot): Element | null {
  return isDocument(root) ? null : read(ShadowRoot.prototype, root, 'host');
}

function textOf(node: Node): string {
  return read(Node.prototype, node, 'textContent') ?? '';
}

function hasRare(node: Node): boolean {
  const text = textOf(node);
  return MAY_BE_RARE.test(text) && text.search(RARE) >= 0;
}

/** Keeps the first characters of each block and font. */
function addSample(samples: Map<string, readonly [string, string]>, character: string, family: string): void {
  const block = (character.codePointAt(0) ?? 0) >> 8;
  for (let k = 0; k < SAMPLES; k++) {
    const key = `${block} ${k} ${family}`;
    const known = samples.get(key);
    if (known === undefined) samples.set(key, [character, family]);
    if (known === undefined || known[0] === character) return;
  }
}
