import { diffLines } from 'diff';
import type { CompareAnswer, ComparedTexts, LineChange } from './compare-call.ts';

/** Most changed lines of an answer. With more, nearly the whole text differs. */
const MAX_CHANGES = 1_000;
/** Lines that may be added and removed: the time grows with the square of their number. */
const MAX_EDITS = 5_000;
const TIMEOUT_MS = 10_000;

/** Compares two texts by their lines. A line that took the place of another is one change. */
export function compareTexts(before: string, after: string): CompareAnswer<ComparedTexts> {
  const [old, now] = [asRead(before), asRead(after)];
  const parts = diffLines(old, now, { maxEditLength: MAX_EDITS, timeout: TIMEOUT_MS }) ??
    // Nearly all lines differ: each is compared with the one at its place.
    [
      { value: old, removed: true, added: false, count: linesOf(old).length },
      { value: now, removed: false, added: true, count: linesOf(now).length },
    ];
  const all: LineChange[] = [];
  let [line, lines] = [1, 0];
  let removed: readonly string[] = [];
  const flush = (): void => {
    for (const text of removed) all.push({ kind: 'removed', line, before: text });
    removed = [];
  };
  for (const { value, added, removed: isRemoved, count } of parts) {
    lines += count;
    if (isRemoved) {
      removed = linesOf(value);
      continue;
    }
    if (added) {
      const texts = linesOf(value);
      for (const [index, text] of texts.entries()) {
        const earlier = removed[index];
        const place = { line: line + index, after: text };
        all.push(earlier === undefined ? { kind: 'added', ...place } : { kind: 'changed', ...place, before: earlier });
      }
      removed = removed.slice(texts.length);
    }
    flush();
    line += count;
  }
  flush();
  const changes = all.slice(0, MAX_CHANGES);
  return { value: { changes, ratio: all.length / Math.max(lines, 1), isTruncated: changes.length < all.length } };
}

/** Returns a text without what no reader sees: the kind of a line end, and of a space. */
function asRead(text: string): string {
  return `${text
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(/[\u00A0\u2007\u202F]/g, ' ')
    .replace(/\n$/, '')}\n`;
}

function linesOf(text: string): readonly string[] {
  return text.replace(/\n$/, '').split('\n');
}
