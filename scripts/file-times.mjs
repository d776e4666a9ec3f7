import { relative } from 'node:path';

const SHOWN = 15;
/** Share of the time of all files. A share, because a busy machine slows down all files alike. */
const BUDGET = 0.1;
/** Seconds that every file may take, so that a fast suite needs no small files. */
const FREE_S = 60;
/** Runs of fewer files have no budget: one file would be all of the time. */
const WHOLE_RUN = 100;

/** Returns the seconds that each file of a vitest JSON report took, the slowest file first. */
export function readFileTimes({ testResults }, root) {
  return testResults
    .map(({ name, startTime, endTime }) => ({
      file: relative(root, name),
      seconds: (endTime - startTime) / 1_000,
    }))
    .toSorted((a, b) => b.seconds - a.seconds);
}

/** Returns the slowest files as text, one a line. */
export function describeSlowest(times) {
  const lines = times.slice(0, SHOWN).map(({ file, seconds }) => `${seconds.toFixed(1).padStart(7)} s  ${file}`);
  return ['Slowest files:', ...lines].join('\n');
}

/** Returns why the run fails: a file that takes too large a share of the time. Undefined without such a file. */
export function findOverBudget(times) {
  if (times.length < WHOLE_RUN) return undefined;
  const total = times.reduce((sum, { seconds }) => sum + seconds, 0);
  const [slowest] = times;
  if (slowest.seconds <= FREE_S || slowest.seconds <= total * BUDGET) return undefined;
  const share = Math.round((100 * slowest.seconds) / total);
  return `${slowest.file} took ${share} % of the time of all files; the budget of a file is ${BUDGET * 100} %. Split it or make it faster`;
}
