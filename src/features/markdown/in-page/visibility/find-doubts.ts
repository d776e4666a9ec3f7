import { chosenElements } from '../../../../core/steps/in-page/chosen-elements.ts';
import { visibleCopy } from '../visible-copy.ts';
import type { Pictures } from '../element-copier.ts';
import { openVisibility } from './open-visibility.ts';
import { keepSeen } from './seen-copy.ts';
import { startJourney, type Suspect } from './stops.ts';
import type { DoubtfulText, TextVisibility } from './text-visibility.ts';
import { type JudgedText, keepVerdicts, partsOf } from './verdicts.ts';

const MAX_SUSPECTS = 20_000;
const CELL = 32; // CSS pixels

/**
 * Finds the texts of the page, or of the chosen elements, whose visibility their styles alone do not decide.
 * Returns true if there are any: then `nextStop` goes to them. Otherwise `seenCopy` has the copy already. Runs in the
 * page.
 */
export function findDoubts(isOfElement: boolean, pictures: Pictures): boolean {
  keepVerdicts(new Map());
  keepSeen(undefined); // if this one is stopped, that of an earlier attempt would be old
  const visibility = openVisibility();
  const copy = visibleCopy((isOfElement ? chosenElements() : undefined) ?? null, { shown: visibility.shown, pictures });
  const suspects: Suspect[] = [];
  const verdicts = new Map<Node, JudgedText>();
  for (const doubtful of [...visibility.doubtful, ...textsOverTexts(visibility)]) {
    if (suspects.length >= MAX_SUSPECTS) break;
    if (verdicts.has(doubtful.node)) continue;
    const parts = partsOf(doubtful.text);
    verdicts.set(doubtful.node, { text: doubtful.text, parts });
    for (const part of parts.slice(0, MAX_SUSPECTS - suspects.length)) suspects.push({ ...doubtful, part });
  }
  keepVerdicts(verdicts);
  keepSeen({ visibility, copy: suspects.length === 0 ? copy : undefined });
  if (suspects.length > 0) startJourney(suspects);
  return suspects.length > 0;
}

/** Returns the texts that lie over each other: large letters may hide small ones. */
function textsOverTexts({ lines }: TextVisibility): readonly DoubtfulText[] {
  const found = new Set<DoubtfulText>();
  const cells = new Map<string, TextVisibility['lines']>();
  for (const line of lines) {
    const { left, right, top, bottom } = line.box;
    const row = Math.floor((top + bottom) / 2 / CELL);
    for (
      let column = Math.floor(left / CELL);
      column <= Math.min(Math.floor(right / CELL), left / CELL + 100);
      column++
    ) {
      const key = `${row},${column}`;
      const known = cells.get(key) ?? [];
      cells.set(key, known);
      for (const other of known.slice(0, 20)) {
        if (other.text === line.text || !isOver(line.box, other.box)) continue;
        found.add(line.text).add(other.text);
      }
      known.push(line);
    }
  }
  return [...found];
}

function isOver(a: { left: number; right: number; top: number; bottom: number }, b: typeof a): boolean {
  const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
  const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
  return high > 0.5 * Math.min(a.bottom - a.top, b.bottom - b.top) && wide > 2;
}
