/**
 * Returns the names of the samples without a glyph on this machine. Such a sample is drawn like a character that no
 * font has, or not at all. Runs in the page.
 */
export function missingScripts(samples: Record<string, string>): string[] {
  const canvas = document.createElement('canvas');
  canvas.width = 64;
  canvas.height = 48;
  const context = canvas.getContext('2d', { willReadFrequently: true });
  if (context === null) return [];
  const drawn = (text: string): string => {
    context.clearRect(0, 0, canvas.width, canvas.height);
    context.font = '32px sans-serif';
    context.fillText(text, 4, 36);
    return context.getImageData(0, 0, canvas.width, canvas.height).data.join();
  };
  const blank = drawn('');
  const noGlyph = drawn('\u{10FFFD}'); // private use area, in no font
  return Object.entries(samples)
    .filter(([, sample]) => [blank, noGlyph].includes(drawn(sample)))
    .map(([name]) => name);
}
