import { Counter, Gauge, type Registry } from '@prometheus-io/client';
import type { BrowserState } from '../browser/browser-host.ts';
import type { PoolState } from '../browser/page-pool.ts';
import { RESTART_REASONS } from '../browser/restart-count.ts';
import { PREFIX } from './prefix.ts';

/** What there is at the moment, asked for whenever the metrics are read. */
export interface StateSource {
  readonly pool: () => PoolState;
  readonly browser: () => BrowserState;
  /** Of this process; a cache elsewhere has metrics of its own. */
  readonly cache: () => { readonly entries: number; readonly bytes: number };
}

/** Adds what is read off the parts of the service instead of counted. */
export function addStateGauges(registry: Registry, { pool, browser, cache }: StateSource): void {
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
  gauge('pool_size', 'Pages that capture at once at most', () => pool().size);
  gauge('pool_busy', 'Pages that capture now', () => pool().busy);
  gauge('pool_waiting', 'Captures that wait for a page', () => pool().waiting);
  gauge('browser_up', '1 while there is a browser', () => (browser().state === 'running' ? 1 : 0));
  gauge('cache_bytes', 'Bytes of the answers that are kept in memory', () => cache().bytes);
  gauge('cache_entries', 'Answers that are kept in memory', () => cache().entries);

  const restarts: Counter<'reason'> = new Counter({
    name: `${PREFIX}browser_restarts_total`,
    help: 'Browsers replaced: crashed, unresponsive, page_stuck (a page did not close), recycled (as planned)',
    labelNames: ['reason'],
    registers: [registry],
    collect: () => {
      restarts.reset();
      const { restartsByReason } = browser();
      for (const reason of RESTART_REASONS) restarts.inc({ reason }, restartsByReason[reason]);
    },
  });
}
