/** Returns boxes and selectors as `POST /compare` takes them. */
export function readIgnored(text: string): readonly object[] {
  // Not at those in quotes, which belong to a selector.
  const parts = (text.match(/(?:"[^"]*"|'[^']*'|[^;])+/g) ?? []).map((part) => part.trim());
  return parts
    .filter((part) => part !== '')
    .map((part) => {
      if (!/^[-\d.]+(?:\s*,\s*[-\d.]+)+$/.test(part)) return { selector: part };
      const [x, y, width, height] = part.split(',').map(Number);
      return { x, y, width, height };
    });
}
