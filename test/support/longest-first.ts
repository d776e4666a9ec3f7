import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Of a run of all tests, the files that take longest (2026-11-22), the longest first. A stale list costs seconds, no more. */
const LONGEST = [
  'integration/hostile-core',
  'integration/cookie-banners',
  'integration/fidelity',
  'integration/scripts',
  'integration/run-ahead',
  'integration/frames',
  'integration/filters',
  'integration/resilience',
  'integration/playground',
  'integration/json-limits',
  'integration/resize',
  'integration/large-messages',
  'integration/locale',
  'integration/command-line',
  'integration/lifecycle',
  'integration/shutdown',
  'integration/readme',
  'browser/process/watchdog',
  'integration/command-line-alone',
  'integration/client',
  'integration/openapi',
  'integration/waits',
  'http/request/body-budget',
  'integration/browser-download',
];

/** No long file begins when the others are at their end, whether the machine remembers an earlier run or not; short ones fill the gaps. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => rankOf(a) - rankOf(b)); // stable
  }
}

function rankOf({ moduleId }: TestSpecification): number {
  const rank = LONGEST.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`));
  return rank === -1 ? LONGEST.length : rank;
}
