import { describe, expect, it } from 'vitest';
import type { Differ, Side, Taken } from '../../../src/parts/watches/compare-runs.ts';
import { areNear } from '../../../src/parts/watches/compare-runs.ts';
import { findChange } from '../../../src/parts/watches/find-change.ts';
import type { Run } from '../../../src/parts/watches/watch.ts';
import { fake } from '../../support/fake.ts';
import { jobResult } from '../../support/stored-capture.ts';
import { runOf } from '../../support/watches.ts';

/** A page: texts by their place in pixels from the top. */
type Shown = Readonly<Record<number, string>>;

const bytesOf = (shown: Shown): Buffer => Buffer.from(JSON.stringify(shown));
const shownIn = ({ bytes }: Pick<Side, 'bytes'>): Shown => JSON.parse(Buffer.from(bytes).toString());
const takenOf = (shown: Shown): Taken =>
  fake<Taken>({
    requested: { capture: { format: 'png', pixel_density: 1 } },
    answer: { file: bytesOf(shown), parts: new Map(), facts: { warnings: [], targetStatus: 200 } },
  });

/** Names at most 100 regions, of 10 px each. */
const differ: Differ = async (before, after, { unstable = [] } = {}) => {
  const [one, other] = [shownIn(before), shownIn(after)];
  const places = [...new Set([...Object.keys(one), ...Object.keys(other)])].filter(
    (at) => one[Number(at)] !== other[Number(at)],
  );
  const regions = places
    .map((at) => ({ x: 0, y: Number(at), width: 10, height: 10, kind: 'changed' as const }))
    .filter((region) => !unstable.some((each) => areNear(region, each)));
  if (regions.length === 0) return undefined;
  return { ratio: 0.1, regions: regions.slice(0, 100), ...(regions.length > 100 && { truncated: true as const }) };
};

/** A watch that makes runs of captures, and remembers them as the service does. */
function createWatch(first: Shown) {
  const kept = new Map<string, Shown>([['0', first]]);
  const runs: Run[] = [runOf('w', '0', { outcome: 'first', result: jobResult('0') })];
  let baseline = runs[0] ?? runOf('w', '0');
  return async (...captures: readonly Shown[]): Promise<string> => {
    const [shown = {}, ...others] = captures;
    const left = [...others];
    const finding = await findChange(fake<Side>({ bytes: bytesOf(kept.get(baseline.id) ?? {}) }), takenOf(shown), {
      differ,
      confirm: 2,
      baseline,
      takeNext: async () => takenOf(left.shift() ?? shown),
      recentRuns: async () => runs.slice(0, 20),
      withRun: async (run, use) => await use(fake<Side>({ bytes: bytesOf(kept.get(run.id) ?? {}) })),
    });
    const { taken, ...rest } = finding;
    const id = String(runs.length);
    kept.set(id, shownIn({ bytes: taken.answer.file }));
    const run = runOf('w', id, { ...rest, result: jobResult(id) });
    runs.unshift(run);
    if (run.outcome === 'changed') baseline = run;
    return run.isUnsteady ? `${run.outcome}, unsteady` : run.outcome;
  };
}

const squares = (n: number, price: string): Shown =>
  Object.fromEntries([
    [5_000, price],
    ...Array.from({ length: 40 }, (_, at) => [at * 100, (at * at * n * 7 + n) % 5 < 2 ? 'red' : 'blue']),
  ]);

const parts = (text: string): Shown => Object.fromEntries(Array.from({ length: 300 }, (_, at) => [at * 100, text]));

describe('a change of a watch', () => {
  it('is found where two captures agree', async () => {
    const run = createWatch({ 0: 'a', 100: 'b' });
    expect(await run({ 0: 'a', 100: 'b' })).toBe('same');
    expect(await run({ 0: 'A', 100: 'b' }, { 0: 'a', 100: 'b' })).toBe('same');
    expect(await run({ 0: 'A', 100: 'x' }, { 0: 'A', 100: 'y' })).toBe('changed');
    expect(await run({ 0: 'A', 100: 'y' })).toBe('same');
  });

  it('must be there in two runs where the page has changed by itself twice', async () => {
    const run = createWatch({ 0: 'calm', 100: 'a' });
    await run({ 0: 'calm', 100: 'x' }, { 0: 'calm', 100: 'a' });
    await run({ 0: 'calm', 100: 'y' }, { 0: 'calm', 100: 'a' });
    expect(await run({ 0: 'calm', 100: 'x' })).toBe('same, unsteady'); // by chance in both captures
    expect(await run({ 0: 'calm', 100: 'a' })).toBe('same');
    expect(await run({ 0: 'calm', 100: 'new' })).toBe('same, unsteady');
    expect(await run({ 0: 'calm', 100: 'new' })).toBe('changed');
  });

  it('is found at once elsewhere on such a page', async () => {
    const run = createWatch({ 0: 'calm', 100: 'a' });
    await run({ 0: 'calm', 100: 'x' }, { 0: 'calm', 100: 'a' });
    await run({ 0: 'calm', 100: 'y' }, { 0: 'calm', 100: 'a' });
    expect(await run({ 0: 'new', 100: 'x' })).toBe('changed');
  });

  it('is found beside another part that changes at every capture', async () => {
    let count = 0;
    const with1 = (text: string): readonly Shown[] => [
      { 100: text, 500: `${count++}` },
      { 100: text, 500: `${count++}` },
    ];
    const run = createWatch({ 100: 'a', 500: '-' });
    await run({ 100: 'x', 500: '1' }, { 100: 'a', 500: '2' });
    await run({ 100: 'y', 500: '3' }, { 100: 'a', 500: '4' });
    expect(await run(...with1('sold out'))).toBe('same, unsteady');
    expect(await run(...with1('sold out'))).toBe('changed');
  });

  it('must be there in two runs if many parts change by themselves, because some are then equal by chance', async () => {
    const run = createWatch(squares(1, '10'));
    let n = 2;
    for (let count = 0; count < 5; count++) expect(await run(squares(n++, '10'), squares(n++, '10'))).toMatch(/^same/);
    expect(await run(squares(n++, '11'), squares(n++, '11'))).toBe('same, unsteady');
  });

  it('is not found if more parts change by themselves than a comparison names', async () => {
    const run = createWatch(parts('a'));
    for (let count = 0; count < 3; count++) expect(await run(parts(`b${count}`), parts(`c${count}`))).toBe('same');
  });
});
