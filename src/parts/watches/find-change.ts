import { areNear, type Differ, type Differences, type Side, sideOf, type Taken } from './compare-runs.ts';
import { refuseIncomplete, refuseUnusable } from './judge-run.ts';
import type { Outcome, Run, RunComparison } from './watch.ts';

/** Runs in which a region must have flickered twice to be unsteady. */
export const RECENT_RUNS = 20;
const FLICKERS = 2;
/** Regions of a run that are remembered. */
const MOST_REMEMBERED = 20;

type Regions = NonNullable<RunComparison['regions']>;

/** What a run has found, and the capture that shows it. */
export interface Finding extends Pick<Run, 'comparison' | 'flickered' | 'isUnsteady'> {
  readonly outcome: Outcome;
  readonly taken: Taken;
}

interface ChangeOptions {
  readonly differ: Differ;
  /** Captures that must show the same change. */
  readonly confirm: number;
  readonly takeNext: () => Promise<Taken>;
  readonly baseline: Run;
  /** The last runs of the watch, the newest first. */
  readonly recentRuns: () => Promise<readonly Run[]>;
  /** Passes the file of a run to `use`. Undefined if it is missing. */
  readonly withRun: <T>(run: Run, use: (side: Side) => Promise<T>) => Promise<T | undefined>;
}

/**
 * Compares a capture with the baseline. A difference counts only where further captures, made at once, show the same.
 * Where the page has changed by itself in earlier runs, the next run must show it as well: two captures of a page that
 * has two states are often equal by chance.
 */
export async function findChange(before: Side, first: Taken, options: ChangeOptions): Promise<Finding> {
  const { differ, confirm, takeNext, baseline } = options;
  const facts = baseline.result?.facts ?? { warnings: [] };
  let taken = first;
  let differences = await differ(before, sideOf(first));
  const seen: Regions = [];
  const unstable: Regions = [];
  for (let count = 1; differences !== undefined && count < confirm; count++) {
    seen.push(...(differences.regions ?? []));
    const next = await takeNext();
    refuseUnusable(next.answer.facts, facts);
    const between = await differ(sideOf(taken), sideOf(next));
    unstable.push(...(between?.regions ?? []));
    taken = next;
    differences = await differ(before, sideOf(next), { unstable, lines: differences.changes });
  }
  const steady = differences?.regions ?? [];
  const flickered = [...seen, ...unstable].filter((region) => !steady.some((each) => areNear(each, region)));
  const memory = flickered.length === 0 ? {} : { flickered: flickered.slice(0, MOST_REMEMBERED).map(boxOf) };
  if (differences === undefined) return { outcome: 'same', taken, ...memory };
  refuseIncomplete(taken.answer.facts, facts);
  if (await isUnsteady(differences, taken, options))
    return { outcome: 'same', taken, flickered: steady.slice(0, MOST_REMEMBERED).map(boxOf), isUnsteady: true };
  return { outcome: 'changed', taken, ...memory, comparison: { baseline: baseline.id, ...differences } };
}

/** True if all regions have flickered in earlier runs, and the run before this one has not shown the same. */
async function isUnsteady(
  { regions = [] }: Differences,
  taken: Taken,
  { differ, recentRuns, withRun }: ChangeOptions,
): Promise<boolean> {
  if (regions.length === 0) return false;
  const recent = await recentRuns();
  const hasFlickered = (region: Regions[number]): boolean =>
    recent.filter(({ flickered }) => flickered?.some((each) => areNear(each, region))).length >= FLICKERS;
  if (!regions.every(hasFlickered)) return false;
  const [last] = recent.filter(({ result }) => result !== undefined);
  if (last?.isUnsteady !== true) return true;
  const isEqual = await withRun(last, async (side) => (await differ(side, sideOf(taken))) === undefined);
  return isEqual !== true;
}

function boxOf({ x, y, width, height }: Regions[number]): NonNullable<Run['flickered']>[number] {
  return { x, y, width, height };
}
