import type { PdfFile } from '../pdf-file.ts';
import { drawingsOf } from './sheet-drawings.ts';

/** Matches the choice of a font, and glyphs that are drawn, in hex digits. */
const COMMANDS = /\/F(\d+) [\d.-]+ Tf|<([\dA-Fa-f]+)> Tj/g;
const MISSING = /^(?:[\dA-Fa-f]{4}){0,5000}?0000/;

/** True if a page draws a character that no font has: Chrome then draws the first glyph of a font, a box. */
export async function hasBoxedCharacters(file: PdfFile): Promise<boolean> {
  for await (const { commands } of drawingsOf(file)) if (drawsMissing(file, commands)) return true;
  return false;
}

function drawsMissing(file: PdfFile, commands: string): boolean {
  const composite = new Map<string, boolean>(); // fonts with two bytes for each glyph
  let isComposite = false;
  for (const [, font, letters = ''] of commands.matchAll(COMMANDS)) {
    if (font !== undefined) {
      isComposite = composite.get(font) ?? file.objectText(Number(font)).includes('/Subtype /Type0');
      composite.set(font, isComposite);
    } else if (isComposite && MISSING.test(letters)) return true;
  }
  return false;
}
