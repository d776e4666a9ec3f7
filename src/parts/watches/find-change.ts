import { areNear, type Differ, largestOf, type Side, sideOf, type Taken } from './compare-runs.ts';
import { refuseIncomplete, refuseUnusable } from './judge-run.ts';
import type { Outcome, Run, RunComparison } from './watch.ts';

/** Runs in which a region must have flickered twice to be unsteady. */
export const RECENT_RUNS = 20;
const FLICKERS = 2;
/** With so many parts that change by themselves, some are equal in two captures by chance. */
const RESTLESS_PARTS = 3;
/** Regions of a run that are remembered. */
const MOST_REMEMBERED = 50;

type Regions = NonNullable<RunComparison['regions']>;

/** What a run has found, and the capture that shows it. */
export interface Finding extends Pick<Run, 'comparison' | 'flickered' | 'isUnsteady' | 'isRepeated'> {
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
  const unstableLines: number[] = [];
  for (let count = 1; differences !== undefined && count < confirm; count++) {
    seen.push(...(differences.regions ?? []));
    const next = await takeNext();
    refuseUnusable(next.answer.facts, facts);
    const between = await differ(sideOf(taken), sideOf(next));
    unstable.push(...(between?.regions ?? []));
    unstableLines.push(...(between?.changes ?? []).map(({ line }) => line));
    taken = next;
    // So much changes by itself that the comparison does not name all of it.
    if (between?.truncated) return { outcome: 'same', taken, ...memoryOf(unstable) };
    differences = await differ(before, sideOf(next), { unstable, unstableLines });
  }
  const steady = differences?.regions ?? [];
  const memory = memoryOf([...seen, ...unstable].filter((region) => !steady.some((each) => areNear(each, region))));
  if (differences === undefined) return { outcome: 'same', taken, ...memory };
  refuseIncomplete(taken.answer, { facts, failing: baseline.failing ?? [] });
  const recent = await options.recentRuns();
  const calm = steady.filter((region) => !hasFlickered(region, recent));
  const isRestless = unstable.length >= Math.max(RESTLESS_PARTS, steady.length);
  const last = await lastRun(steady, { taken, recent }, options);
  const isUnsteady = steady.length > 0 && (isRestless || calm.length === 0);
  if (isUnsteady && !(last.isUnsteady && last.isEqual))
    return { outcome: 'same', taken, ...memoryOf([...steady, ...unstable]), isUnsteady: true };
  const reported = largestOf({ ...differences, ...(calm.length > 0 && { regions: calm }) });
  const comparison = { baseline: baseline.id, ...reported };
  return {
    outcome: 'changed',
    taken,
    ...memory,
    comparison,
    ...(last.isChanged && last.isEqual && { isRepeated: true }),
  };
}

function hasFlickered(region: Regions[number], recent: readonly Run[]): boolean {
  return recent.filter(({ flickered }) => flickered?.some((each) => areNear(each, region))).length >= FLICKERS;
}

/** Compares a capture with that of the run before, in these regions, if the run before has found them as well. */
async function lastRun(
  regions: Regions,
  { taken, recent }: { readonly taken: Taken; readonly recent: readonly Run[] },
  { differ, withRun, baseline }: ChangeOptions,
): Promise<{ readonly isUnsteady: boolean; readonly isChanged: boolean; readonly isEqual: boolean }> {
  const [last] = recent.filter(({ result }) => result !== undefined);
  const isUnsteady = last?.isUnsteady === true;
  const isChanged = last?.comparison?.baseline === baseline.id;
  if (last === undefined || !(isUnsteady || isChanged)) return { isUnsteady, isChanged, isEqual: false };
  const isEqual = await withRun(last, async (side) => {
    const since = await differ(side, sideOf(taken));
    if (since === undefined) return true;
    return since.regions?.some((each) => regions.some((region) => areNear(each, region))) === false;
  });
  return { isUnsteady, isChanged, isEqual: isEqual === true };
}

function memoryOf(regions: Regions): Pick<Finding, 'flickered'> {
  return regions.length === 0 ? {} : { flickered: regions.slice(0, MOST_REMEMBERED).map(boxOf) };
}

/** The box of a region in the later picture. */
function boxOf({ x, y, width, height, rowInAfter = y }: Regions[number]): NonNullable<Run['flickered']>[number] {
  return { x, y: rowInAfter, width, height };
}
