import { Counter, Gauge, type Registry } from '@prometheus-io/client';
import type { BrowserState } from '../browser/host/browser-host.ts';
import type { PoolState } from '../browser/pool/page-pool.ts';
import type { BudgetState, MemoryBudget } from '../memory-budget.ts';
import { RESTART_REASONS } from '../browser/host/current-browser.ts';
import { PREFIX } from './prefix.ts';

const BUDGET_NAMES = ['bodies', 'answers'] as const;
type BudgetName = (typeof BUDGET_NAMES)[number];

/** State of the service, read each time that the metrics are rendered. */
export interface StateSource {
  readonly pool: () => PoolState;
  readonly browser: () => BrowserState;
  /** The cache in this process. A Redis cache has its own metrics. */
  readonly cache: () => { readonly entries: number; readonly bytes: number };
  readonly budgets: Readonly<Record<BudgetName, Pick<MemoryBudget, 'state'>>>;
}

/** Adds gauges that read the state of the service. */
export function addStateGauges(registry: Registry, { pool, browser, cache, budgets }: StateSource): void {
  const gauge = (name: string, help: string, read: () => number): void => {
    const made: Gauge = new Gauge({
      name: `${PREFIX}${name}`,
      help,
      registers: [registry],
      collect: () => {
        made.set(read());
      },
    });
  };
  gauge('pool_size', 'Maximum number of concurrent captures', () => pool().size);
  gauge('pool_busy', 'Captures that run now', () => pool().busy);
  gauge('pool_waiting', 'Captures that wait for a page', () => pool().waiting);
  gauge('browser_up', '1 while a browser runs', () => (browser().state === 'running' ? 1 : 0));
  gauge('cache_bytes', 'Bytes of cached answers in memory', () => cache().bytes);
  gauge('cache_entries', 'Number of cached answers in memory', () => cache().entries);

  addBudgetGauges(registry, budgets);

  const restarts: Counter<'reason'> = new Counter({
    name: `${PREFIX}browser_restarts_total`,
    help: 'Replaced browsers: crashed, unresponsive, page_stuck (a page did not close), recycled (planned)',
    labelNames: ['reason'],
    registers: [registry],
    collect: () => {
      restarts.reset();
      const { restartsByReason } = browser();
      for (const reason of RESTART_REASONS) restarts.inc({ reason }, restartsByReason[reason]);
    },
  });
}

function addBudgetGauges(registry: Registry, budgets: StateSource['budgets']): void {
  const of = 'bodies (requests being read or answered) and answers (results being produced or sent)';
  const gauge = (name: string, help: string, read: (state: BudgetState) => number): void => {
    const made: Gauge<'budget'> = new Gauge({
      name: `${PREFIX}${name}`,
      help,
      labelNames: ['budget'],
      registers: [registry],
      collect: () => {
        for (const budget of BUDGET_NAMES) made.set({ budget }, read(budgets[budget].state()));
      },
    });
  };
  gauge('memory_budget_bytes', `Limit of the memory for ${of}`, (state) => state.limitBytes);
  gauge('memory_used_bytes', `Bytes in use by ${of}`, (state) => state.usedBytes);

  const refusals: Counter<'budget'> = new Counter({
    name: `${PREFIX}memory_refusals_total`,
    help: `Refusals because this memory was used up: ${of}`,
    labelNames: ['budget'],
    registers: [registry],
    collect: () => {
      refusals.reset();
      for (const budget of BUDGET_NAMES) refusals.inc({ budget }, budgets[budget].state().refusals);
    },
  });
}
