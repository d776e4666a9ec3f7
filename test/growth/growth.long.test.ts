import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startService } from '../support/service.ts';
import { ALL_CASES, SERVICE_SETTINGS } from './all-cases.ts';
import { brokenLimits } from './limits.ts';
import { type Measured, measure } from './measure.ts';

describe('growing inputs', () => {
  const stack = new AsyncDisposableStack();
  let service: Measured;
  beforeAll(async () => {
    service = stack.use(await startService(SERVICE_SETTINGS));
  });
  afterAll(() => stack.disposeAsync());

  it('have unique names', () => {
    expect(new Set(ALL_CASES.map(({ name }) => name)).size).toBe(ALL_CASES.length);
  });

  // The smaller half of the sizes: `npm run test:growth` has all of them, and measures how long others wait.
  it.each(ALL_CASES)('stay within their limits: $name', async (each) => {
    const rows = await measure(each, service, each.sizes.slice(0, Math.ceil(each.sizes.length / 2)), false);

    expect(brokenLimits(each, rows)).toEqual([]);
  });
});
