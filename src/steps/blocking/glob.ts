/** Tells whether a whole text matches. */
export type Glob = (text: string) => boolean;

/**
 * Compiles a pattern in which `*` matches any text, including none, and every other character matches itself. Searches
 * each piece between stars once, so matching takes linear time, unlike regular expressions.
 */
export function createGlob(pattern: string): Glob {
  const [first = '', ...rest] = pattern.split(/\*+/);
  const last = rest.pop();
  if (last === undefined) return (text) => text === first;

  return (text) => {
    if (!text.startsWith(first) || !text.endsWith(last)) return false;
    let from = first.length;
    for (const piece of rest) {
      const at = text.indexOf(piece, from);
      if (at === -1) return false;
      from = at + piece.length;
    }
    return from <= text.length - last.length; // the end must not overlap with the preceding pieces
  };
}
