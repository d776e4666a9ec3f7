import { describe, expect, it } from 'vitest';
import { createRandom, drawArrivals, simulate } from '../../bench/queue-model.mjs';

const COUNT = 50_000;
const WORK_MS = 100;

describe('simulate', () => {
  it('gives each request its own service time plus the wait for earlier ones', () => {
    const times = simulate({
      arrivals: [0, 10, 20, 500],
      work: [100, 100, 50, 70],
      slots: 1,
      speedOf: () => 1,
    });

    expect(times.map(Math.round)).toEqual([100, 190, 230, 70]);
  });

  it('slows down slots that share a processor', () => {
    const times = simulate({
      arrivals: [0, 0, 100],
      work: [100, 100, 100],
      slots: 2,
      speedOf: (busy) => 1 / busy,
    });

    expect(times.map(Math.round)).toEqual([200, 200, 200]);
  });

  // Theoretical values for one server, Poisson arrivals and a load of 70 %: with fixed work (M/D/1), with exponential
  // work (M/M/1).
  it.each([
    ['fixed', () => WORK_MS, WORK_MS * (1 + 0.7 / (2 * 0.3))],
    ['exponential', (draw: number) => -Math.log(1 - draw) * WORK_MS, WORK_MS / 0.3],
  ])('agrees with queueing theory about %s work', (_name, workOf, expectedMs) => {
    const random = createRandom(1);
    const arrivals = drawArrivals({ count: COUNT, perSecond: (0.7 * 1_000) / WORK_MS, random });
    const work = arrivals.map(() => workOf(random()));

    const times = simulate({ arrivals, work, slots: 1, speedOf: () => 1 });

    const mean = times.reduce((sum, time) => sum + time, 0) / COUNT;
    expect(mean / expectedMs).toBeGreaterThan(0.95);
    expect(mean / expectedMs).toBeLessThan(1.05);
  });

  it('is the same for the same seed', () => {
    expect(draw(7)).toEqual(draw(7));
    expect(draw(7)).not.toEqual(draw(8));
  });
});

function draw(seed: number): number[] {
  return drawArrivals({ count: 3, perSecond: 10, random: createRandom(seed) });
}
