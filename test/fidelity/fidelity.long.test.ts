import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ALL_CASES, createFidelitySite, SERVICE_SETTINGS } from './all-cases.ts';
import { COVERED_PAINS } from './cases/service.ts';
import { type Bench, runCase } from './run-case.ts';
import { startService } from '../support/service.ts';

const ROOT = join(import.meta.dirname, '../..');
const REPEATS = Number(process.env['FIDELITY_REPEATS'] ?? 2);

const CASES = ALL_CASES.filter(({ isLong }) => isLong !== true);

describe('fidelity', () => {
  const stack = new AsyncDisposableStack();
  let bench: Bench;
  beforeAll(async () => {
    const site = stack.use(await createFidelitySite());
    const service = stack.use(await startService(SERVICE_SETTINGS));
    // the machine may be busy: `npm run fidelity` measures durations
    bench = { service: service.url, site, repeats: REPEATS, patience: 4 };
  });
  afterAll(() => stack.disposeAsync());

  it('has a unique id for every case', () => {
    const ids = [...ALL_CASES, ...COVERED_PAINS].map(({ id }) => id);

    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  });

  it.each(COVERED_PAINS)('$id: has a test in its own file', ({ file, test }) => {
    expect(readFileSync(join(ROOT, file), 'utf8')).toContain(test);
  });

  // Cases that measure durations run one after the other.
  it.each(CASES.filter(({ isAlone }) => isAlone === true))('$id: $title', async (each) => {
    await expect(runCase(each, bench)).resolves.toBeUndefined();
  });

  // The other cases mostly wait: run about as many at once as the pool has pages.
  it.concurrent.each(CASES.filter(({ isAlone }) => isAlone !== true))('$id: $title', async (each) => {
    await expect(runCase(each, bench)).resolves.toBeUndefined();
  });
});
