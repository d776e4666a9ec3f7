/** Upper bound for a repetition count. Higher counts are treated as unlimited. */
const MAX_REPEATS = 5;

/** Maximum number of optional parts and of groups with alternatives: each may double the ways to match. */
const MAX_CHOICES = 10;

/** Maximum characters of an expression. Rating a longer one takes longer than matching it. */
const MAX_LENGTH = 10_000;

/**
 * Rates the cost of a regular expression for hostile texts: the exponent by which its time grows with the length of the
 * text. Infinity if it may grow faster: repeated groups with a choice or a repetition, back-references, and many
 * choices one after the other.
 */
export function regexCost(source: string): number {
  if (source.length > MAX_LENGTH) return Infinity;
  let cost = source.startsWith('^') ? 0 : 1; // the expression is tried at each character
  const groups: Group[] = [];
  let justClosed: Group | undefined;
  let choices = 0;
  for (let at = 0; at < source.length; at++) {
    const character = source[at] ?? '';
    const repeats = repeatsAt(source, at);
    const group = justClosed;
    justClosed = undefined;
    if (character === '\\') {
      at++;
      if (/[1-9k]/.test(source[at] ?? '')) return Infinity;
    } else if (character === '[') {
      at = endOfClass(source, at);
    } else if (character === '(') {
      groups.push({ isOpen: false, hasChoice: false });
    } else if (character === ')') {
      justClosed = groups.pop();
      if (justClosed?.hasChoice === true) choices++;
    } else if (character === '|') {
      markAll(groups);
      const inner = groups.at(-1);
      if (inner !== undefined) inner.hasChoice = true;
    } else if (character === '?' && isOptional(source, at)) {
      choices++;
      markAll(groups);
    } else if (repeats !== undefined) {
      if (group?.isOpen === true && repeats.most > MAX_REPEATS) return Infinity;
      if (group?.isOpen === true) cost += repeats.most;
      else if (repeats.most > repeats.least) cost++;
      if (repeats.most > repeats.least) markAll(groups);
    }
  }
  return choices > MAX_CHOICES ? Infinity : cost;
}

/** An open group. */
interface Group {
  /** True if its content can match in several ways. */
  isOpen: boolean;
  /** True if it has alternatives of its own. */
  hasChoice: boolean;
}

/**
 * True for a `?` that makes the part before it optional. Others begin the kind of a group, or make a repetition lazy.
 */
function isOptional(source: string, at: number): boolean {
  return at > 0 && !/(?:^|[^\\])(?:[(*+?]|\{\d+,?\d*\})$/.test(source.slice(Math.max(0, at - 20), at));
}

function markAll(groups: readonly Group[]): void {
  for (const group of groups) group.isOpen = true;
}

/** `?` is not a repetition, and literal braces are not either. */
function repeatsAt(source: string, at: number): { least: number; most: number } | undefined {
  if (source[at] === '*' || source[at] === '+') return { least: 0, most: Infinity };
  const [, least, comma, most] = /^\{(\d+)(,?)(\d*)\}/.exec(source.slice(at, at + 20)) ?? [];
  if (least === undefined) return undefined;
  const fewest = Number(least);
  return { least: fewest, most: comma === '' ? fewest : most === '' ? Infinity : Number(most) };
}

function endOfClass(source: string, start: number): number {
  for (let at = start + 1; at < source.length; at++) {
    if (source[at] === '\\') at++;
    else if (source[at] === ']') return at;
  }
  return source.length;
}
