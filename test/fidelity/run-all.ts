import { ALL_CASES } from './all-cases.ts';
import { type Bench, runCase } from './run-case.ts';
import { COVERED_PAINS } from './cases/service.ts';
import type { FidelityCase } from './fidelity-case.ts';

/** One row of the table. */
export interface CaseResult {
  readonly id: string;
  readonly title: string;
  /** `passes`, `fails: ` and the reason, or the test that covers the case. */
  readonly result: string;
  readonly passed: boolean;
}

const AT_ONCE = 3;

/**
 * Runs every case whose id contains `filter`, some of them concurrently. Returns the rows in the order of the table.
 */
export async function runAll(
  bench: Bench,
  { filter, report }: { readonly filter: string; readonly report: (result: CaseResult) => void },
): Promise<readonly CaseResult[]> {
  const results = new Map<string, CaseResult>();
  const selected = ALL_CASES.filter(({ id }) => id.includes(filter));
  const run = async (each: FidelityCase): Promise<void> => {
    const result = await judge(each, bench);
    results.set(each.id, result);
    report(result);
  };

  for (const each of selected.filter(({ isAlone }) => isAlone === true)) await run(each);
  const waiting = selected.filter(({ isAlone }) => isAlone !== true).values();
  const worker = async (): Promise<void> => {
    for (const each of waiting) await run(each);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));

  const covered = COVERED_PAINS.filter(({ id }) => id.includes(filter)).map(({ id, title, file }): CaseResult => ({
    id,
    title,
    result: `tested in ${file}`,
    passed: true,
  }));
  return [...selected.flatMap(({ id }) => results.get(id) ?? []), ...covered];
}

async function judge(fidelityCase: FidelityCase, bench: Bench): Promise<CaseResult> {
  const { id, title } = fidelityCase;
  try {
    await runCase(fidelityCase, bench);
    return { id, title, result: 'passes', passed: true };
  } catch (error) {
    return { id, title, result: `fails: ${reasonOf(error)}`, passed: false };
  }
}

/** Returns the error message without the comparison that assertions append. */
function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.split('\n').filter(Boolean).slice(0, 6).join(' ').replaceAll(/\s+/g, ' ').slice(0, 300);
}
