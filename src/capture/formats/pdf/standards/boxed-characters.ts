import { promisify } from 'node:util';
import { inflate } from 'node:zlib';
import type { PdfFile } from '../pdf-file.ts';

/** Matches the choice of a font, and glyphs that are drawn, in hex digits. */
const COMMANDS = /\/F(\d+) [\d.-]+ Tf|<([\dA-Fa-f]+)> Tj/g;
const MISSING = /^(?:[\dA-Fa-f]{4}){0,5000}?0000/;
const unpack = promisify(inflate);

/** True if a page draws a character that no font has: Chrome then draws the first glyph of a font, a box. */
export async function hasBoxedCharacters(file: PdfFile): Promise<boolean> {
  const drawings = new Set(file.pages().map((page) => file.contentsOf(page)));
  for (let number = 1; number < file.size; number++) {
    const stream = file.streamOf(number);
    const isDrawing = drawings.has(number) || stream?.dictionary.includes('/Subtype /Form') === true;
    if (stream === undefined || !isDrawing) continue;
    const commands = await unpack(stream.compressed);
    if (drawsMissing(file, commands.toString('latin1'))) return true;
  }
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
