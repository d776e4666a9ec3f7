import { diffArrays } from 'diff';
import type { PdfPage, PdfWord } from '../../features/pdf-reader/pdf-contents.ts';
import type { Finding } from './finding.ts';

/** Distance from which a word has moved, in points. A person sees half of a pixel. */
const MOVED_PT = 0.3;
/** Differing words up to which their sequence is compared, because the time grows with their square. */
const MOST_EDITS = 2_000;
const MOST_SHOWN = 8;

function textsOf({ words }: PdfPage): string[] {
  return words.map(({ text }) => text);
}

/** Returns which words of a page differ, and which have other places. */
export function compareWords(before: PdfPage, after: PdfPage, page: number): readonly Finding[] {
  const [old, now] = [textsOf(before), textsOf(after)];
  if (old.length === now.length && old.every((text, index) => text === now[index]))
    return comparePlaces(before, after, page);
  const changes = diffArrays(old, now, { maxEditLength: MOST_EDITS });
  if (changes === undefined) return [{ kind: 'words', page, message: `page ${page} has other words` }];
  const lost = changes.filter(({ removed }) => removed).flatMap(({ value }) => value);
  const added = changes.filter(({ added: isAdded }) => isAdded).flatMap(({ value }) => value);
  const parts = [...described('lost', lost), ...described('got', added)];
  const [place] = added.length > 0 ? placesOf(after, added) : placesOf(before, lost);
  return [{ kind: 'words', page, message: `page ${page} ${parts.join(' and ')}`, ...(place && { box: boxOf(place) }) }];
}

function described(verb: string, words: readonly string[]): readonly string[] {
  if (words.length === 0) return [];
  const shown = words.slice(0, MOST_SHOWN).join(' ');
  return [
    `${verb} ${words.length} ${words.length === 1 ? 'word' : 'words'} (${shown}${words.length > MOST_SHOWN ? ' …' : ''})`,
  ];
}

function placesOf({ words }: PdfPage, [first]: readonly string[]): readonly PdfWord[] {
  return words.filter(({ text }) => text === first);
}

/** Compares the places of equal words. */
function comparePlaces(before: PdfPage, after: PdfPage, page: number): readonly Finding[] {
  const moved = before.words.flatMap((word, index) => {
    const now = after.words[index];
    return now !== undefined && hasMoved(word, now) ? [{ word, now }] : [];
  });
  const [first] = moved;
  if (first === undefined) return [];
  const { word, now } = first;
  const by = `${signed(now.x - word.x)}, ${signed(now.y - word.y)} pt`;
  const wider =
    Math.abs(now.width - word.width) > MOVED_PT ? `, and is ${signed(now.width - word.width)} pt wider` : '';
  const more = moved.length > 1 ? `; ${moved.length} words of ${before.words.length} have other places` : '';
  const message = `page ${page}: "${word.text}" has moved by ${by}${wider}${more}`;
  return [{ kind: 'places', page, message, box: boxOf(now) }];
}

function hasMoved(before: PdfWord, after: PdfWord): boolean {
  return (['x', 'y', 'width', 'height'] as const).some((side) => Math.abs(after[side] - before[side]) > MOVED_PT);
}

function signed(points: number): string {
  return (points > 0 ? '+' : '') + points.toFixed(1);
}

function boxOf({ x, y, width, height }: PdfWord): Finding['box'] {
  return { x, y, width, height };
}
