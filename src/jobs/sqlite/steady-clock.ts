import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { monotonicMs } from '../../timeouts.ts';
import { valueRow } from './rows.ts';

const PREFIX = 'clock of ';

/**
 * Returns a clock in Unix milliseconds that runs evenly when the wall clock jumps. The database stores its offset until the machine
 * restarts. So all processes that share the jobs have the same clock, even if they start after a jump.
 */
export function createSteadyClock(database: DatabaseSync): () => number {
  const name = `${PREFIX}${bootId()}`;
  const find = database.prepare('SELECT value FROM totals WHERE name = ?');
  // Replaces a value that cannot be read, because it would stop all jobs.
  if (!valueRow.safeParse(find.get(name)).success) {
    database.prepare('DELETE FROM totals WHERE name GLOB ?').run(`${PREFIX}*`);
    database.prepare('INSERT OR IGNORE INTO totals VALUES (?, ?)').run(name, Date.now() - monotonicMs());
  }
  const offsetMs = valueRow.parse(find.get(name));
  return () => offsetMs + monotonicMs();
}

/** Returns an id that changes with each start of the machine, when the monotonic clock restarts. */
function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return randomUUID(); // not Linux: the clock lasts as long as this connection
  }
}
