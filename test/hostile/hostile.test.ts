import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeCaseTable } from './case-table.ts';
import { CASE_GROUPS } from './cases/all.ts';
import { isRunHere } from './hostile-case.ts';
import { createKeyedWorld } from './keyed-world.ts';
import { type Calm, findCalm, runCase } from './run-case.ts';
import { createWorld, type World } from './world.ts';

/** UPDATE_HOSTILE_TABLE=1 writes test/hostile/REPORT.md. */
const UPDATES_TABLE = process.env['UPDATE_HOSTILE_TABLE'] === '1';

const GROUPS = CASE_GROUPS.map((group) => ({ ...group, cases: group.cases.filter(isRunHere) })).filter(
  ({ cases }) => cases.length > 0,
);
const KEYED = GROUPS.filter(({ isKeyed }) => isKeyed);
const results = new Map<string, string>();

afterAll(() => {
  if (UPDATES_TABLE) writeCaseTable(results);
});

describe.each([
  {
    what: 'a service under attack',
    start: () => createWorld(),
    groups: GROUPS.filter(({ isKeyed }) => !isKeyed),
  },
  { what: 'a service with keys and templates under attack', start: createKeyedWorld, groups: KEYED },
])('$what', ({ start, groups }) => {
  let world: World;
  let calm: Calm;
  beforeAll(async () => {
    world = await start();
    calm = await findCalm(world);
  });
  afterAll(() => world[Symbol.asyncDispose]());

  describe.each(groups)('$name', ({ cases }) => {
    it.each(cases)('$id withstands $title', async (hostileCase) => {
      results.set(hostileCase.id, 'fails');
      expect(await runCase(hostileCase, world, calm)).toBe('passes');
      results.set(hostileCase.id, 'passes');
    });
  });
});
