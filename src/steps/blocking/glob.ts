/** Tells whether a whole text matches. */
export type Glob = (text: string) => boolean;

/**
 * A pattern in which `*` stands for anything, or nothing, and every other character for itself. The pieces between the stars are looked
 * for one after the other and each only once: no pattern takes longer than its text is long, as regular expressions do.
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
    return from <= text.length - last.length; // the end must not be what the pieces have already taken
  };
}
