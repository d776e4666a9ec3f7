import type { BrowserState } from '../../core/browser/host/browser-host.ts';
import type { PoolState } from '../../core/browser/pool/page-pool.ts';
import type { BudgetState, MemoryBudget } from '../../core/ground/memory-budget.ts';
import type { Series } from './series.ts';

/** State of the service, read each time that the metrics are rendered. */
export interface StateSource {
  readonly pool: () => PoolState;
  readonly browser: () => BrowserState;
  /** The cache in this process. A Redis cache has its own metrics. */
  readonly cache: () => { readonly entries: number; readonly bytes: number };
  readonly budgets: Readonly<Record<'bodies' | 'answers', Pick<MemoryBudget, 'state'>>>;
}

/** Adds the metrics that are read from the state of the service. */
export function addStateGauges(series: Series, { pool, browser, cache, budgets }: StateSource): void {
  const { gauge, readCounter } = series;
  gauge('pool_size', 'Maximum number of concurrent captures', () => pool().size);
  gauge('pool_busy', 'Captures that run now', () => pool().busy);
  gauge('pool_waiting', 'Captures that wait for a page', () => pool().waiting);
  gauge('browser_up', '1 while a browser runs', () => (browser().state === 'running' ? 1 : 0));
  gauge(
    'browser_age_seconds',
    'Time since the browser was built. NaN if it is not known',
    () => (Date.now() - (browser().builtAt?.getTime() ?? Number.NaN)) / 1_000,
  );
  gauge('cache_bytes', 'Bytes of cached answers in memory', () => cache().bytes);
  gauge('cache_entries', 'Number of cached answers in memory', () => cache().entries);
  addBudgets(series, budgets);
  readCounter(
    'browser_restarts_total',
    'Replaced browsers: crashed, unresponsive, page_stuck (a page did not close), recycled (planned)',
    'reason',
    () => browser().restartsByReason,
  );
}

function addBudgets({ readCounter, readGauge }: Series, budgets: StateSource['budgets']): void {
  const of = 'request bodies and results';
  const stateOf = (name: keyof BudgetState) => () => ({
    bodies: budgets.bodies.state()[name],
    answers: budgets.answers.state()[name],
  });
  readGauge('memory_budget_bytes', `Limit of the memory for ${of}`, 'budget', stateOf('limitBytes'));
  readGauge('memory_used_bytes', `Bytes in use by ${of}`, 'budget', stateOf('usedBytes'));
  const help = `Refusals because this memory was used up: ${of}`;
  readCounter('memory_refusals_total', help, 'budget', stateOf('refusals'));
}
