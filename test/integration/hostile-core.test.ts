import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CASE_GROUPS } from '../hostile/cases/all.ts';
import { type Calm, findCalm, runCase } from '../hostile/run-case.ts';
import { createWorld, type World } from '../hostile/world.ts';

const CORE_CASES = CASE_GROUPS.flatMap(({ cases }) => cases).filter(({ isCore }) => isCore);

/** The quick part of `npm run test:hostile`, where a failure of a case is looked at. */
describe('a service that is attacked', () => {
  let world: World;
  let calm: Calm;
  beforeAll(async () => {
    world = await createWorld();
    calm = await findCalm(world);
  });
  afterAll(() => world[Symbol.asyncDispose]());

  it.each(CORE_CASES)('$id holds out against $title', async (hostileCase) => {
    expect(await runCase(hostileCase, world, calm)).toBe('passes');
  });
});
