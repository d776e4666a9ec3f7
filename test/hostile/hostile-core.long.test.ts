import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CASE_GROUPS } from './cases/all.ts';
import { attack, awaitQuiet, type Calm, expectCalm, findCalm } from './run-case.ts';
import { createWorld, type World } from './world.ts';

const CORE_CASES = CASE_GROUPS.flatMap(({ cases }) => cases).filter(({ isCore }) => isCore);
/** Number of cases that share one leak check. `npm run test:hostile` checks after each case. */
const BATCH = 8;
const BATCHES = Array.from({ length: Math.ceil(CORE_CASES.length / BATCH) }, (_, index) =>
  CORE_CASES.slice(index * BATCH, (index + 1) * BATCH),
);

/** The quick part of `npm run test:hostile`. Run that to find out which case fails. */
describe('a service under attack', () => {
  let world: World;
  let calm: Calm;
  beforeAll(async () => {
    world = await createWorld();
    calm = await findCalm(world);
  });
  afterAll(() => world[Symbol.asyncDispose]());

  for (const batch of BATCHES) {
    it.each(batch)('$id withstands $title', async (hostileCase) => {
      await expect(attack(hostileCase, world)).resolves.toBeUndefined();
      await awaitQuiet(world);
    });

    it(`returns to its initial state after ${batch.map(({ id }) => id).join(', ')}`, async () => {
      await expect(expectCalm(world, calm)).resolves.toBeUndefined();
    });
  }
});
