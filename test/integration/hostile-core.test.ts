import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CASE_GROUPS } from '../hostile/cases/all.ts';
import { attack, awaitQuiet, type Calm, expectCalm, findCalm } from '../hostile/run-case.ts';
import { createWorld, type World } from '../hostile/world.ts';

const CORE_CASES = CASE_GROUPS.flatMap(({ cases }) => cases).filter(({ isCore }) => isCore);
/** Cases that share one look at what they left behind. `npm run test:hostile` looks after each case. */
const BATCH = 8;
const BATCHES = Array.from({ length: Math.ceil(CORE_CASES.length / BATCH) }, (_, index) =>
  CORE_CASES.slice(index * BATCH, (index + 1) * BATCH),
);

/** The quick part of `npm run test:hostile`, where a failure of a case is looked at. */
describe('a service that is attacked', () => {
  let world: World;
  let calm: Calm;
  beforeAll(async () => {
    world = await createWorld();
    calm = await findCalm(world);
  });
  afterAll(() => world[Symbol.asyncDispose]());

  for (const batch of BATCHES) {
    it.each(batch)('$id holds out against $title', async (hostileCase) => {
      await expect(attack(hostileCase, world)).resolves.toBeUndefined();
      await awaitQuiet(world);
    });

    it(`is as before after ${batch.map(({ id }) => id).join(', ')}`, async () => {
      await expect(expectCalm(world, calm)).resolves.toBeUndefined();
    });
  }
});
