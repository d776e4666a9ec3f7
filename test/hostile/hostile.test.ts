import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeCaseTable } from './case-table.ts';
import { CASE_GROUPS } from './cases/all.ts';
import { isRunHere } from './hostile-case.ts';
import { type Calm, findCalm, runCase } from './run-case.ts';
import { createWorld, type World } from './world.ts';

/** UPDATE_HOSTILE_TABLE=1 writes docs/hostile-cases.md. */
const UPDATES_TABLE = process.env['UPDATE_HOSTILE_TABLE'] === '1';

describe('a service under attack', () => {
  const results = new Map<string, string>();
  let world: World;
  let calm: Calm;
  beforeAll(async () => {
    world = await createWorld();
    calm = await findCalm(world);
  });
  afterAll(async () => {
    await world[Symbol.asyncDispose]();
    if (UPDATES_TABLE) writeCaseTable(results);
  });

  const groups = CASE_GROUPS.map(({ name, cases }) => ({ name, cases: cases.filter(isRunHere) }));
  describe.each(groups.filter(({ cases }) => cases.length > 0))('$name', ({ cases }) => {
    it.each(cases)('$id withstands $title', async (hostileCase) => {
      results.set(hostileCase.id, 'fails');
      expect(await runCase(hostileCase, world, calm)).toBe('passes');
      results.set(hostileCase.id, 'passes');
    });
  });
});
