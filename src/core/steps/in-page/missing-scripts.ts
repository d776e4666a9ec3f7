/** Draws text with a font. Returns a function that is true if the font and all fallbacks lack a glyph for the text. */
export function createGlyphTest(): (text: string, fontFamily: string) => boolean {
  const canvas = document.createElement('canvas');
  canvas.width = 64;
  canvas.height = 48;
  const context = canvas.getContext('2d', { willReadFrequently: true });
  const drawn = (text: string, fontFamily: string): string => {
    if (context === null) return text;
    context.clearRect(0, 0, canvas.width, canvas.height);
    context.font = `32px ${fontFamily}`;
    context.fillText(text, 4, 36);
    return context.getImageData(0, 0, canvas.width, canvas.height).data.join();
  };
  const blank = drawn('', 'sans-serif');
  const noGlyphs = new Map<string, string>();
  const noGlyphOf = (fontFamily: string): string => {
    const known = noGlyphs.get(fontFamily) ?? drawn('\u{10FFFD}', fontFamily); // private use area, in no font
    noGlyphs.set(fontFamily, known);
    return known;
  };
  return (text, fontFamily) => [blank, noGlyphOf(fontFamily)].includes(drawn(text, fontFamily));
}

/** Returns the names of the samples without a glyph on this machine. Runs in the page. */
export function missingScripts(samples: Record<string, string>): string[] {
  const hasNoGlyph = createGlyphTest();
  return Object.entries(samples)
    .filter(([, sample]) => hasNoGlyph(sample, 'sans-serif'))
    .map(([name]) => name);
}
