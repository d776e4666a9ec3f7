import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { createSqliteUsage } from '../../../src/parts/usage/sqlite-usage.ts';

const RESERVATION = { id: 'a', key: 'shop', period: '2026-11' };

// An instance that started dropped reservations that another one made in the same moment, and a capture too many was
// granted.
it('keeps the reservations that another process makes while this one opens the file', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'sqlite-usage-'));
  const open = (): DatabaseSync => new DatabaseSync(join(folder.path, 'usage.sqlite'), { timeout: 0 });
  using first = open();
  using second = open();
  let nowMs = 1_000;
  const monotonicNow = (): number => nowMs;
  const usage = createSqliteUsage({ database: first, now: Date.now, monotonicNow });
  const outcomes: string[] = [];

  createSqliteUsage({
    database: second,
    now: Date.now,
    monotonicNow: () => {
      nowMs = 1_010; // the other process goes on after this clock was read
      try {
        usage.reserve(RESERVATION, 1);
        outcomes.push('held');
      } catch {
        outcomes.push('locked');
      }
      return 1_000;
    },
  });

  expect(usage.standing(RESERVATION.key, RESERVATION.period).held).toBe(outcomes.includes('held') ? 1 : 0);
  expect(outcomes.length).toBeGreaterThan(0);
});
