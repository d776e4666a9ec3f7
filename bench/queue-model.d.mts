export function createRandom(seed: number): () => number;
export function drawArrivals(options: {
  readonly count: number;
  readonly perSecond: number;
  readonly random: () => number;
}): number[];
export function simulate(options: {
  readonly arrivals: readonly number[];
  readonly work: readonly number[];
  readonly slots: number;
  readonly speedOf: (busy: number) => number;
}): number[];
