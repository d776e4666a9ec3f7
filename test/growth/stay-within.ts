import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startService } from '../support/service.ts';
import { SERVICE_SETTINGS } from './all-cases.ts';
import type { GrowthCase } from './growth-case.ts';
import { brokenLimits } from './limits.ts';
import { type Measured, measure } from './measure.ts';

/**
 * Declares a test for each case, with the smaller half of its sizes. `npm run test:growth` has all of them, and measures
 * how long others wait.
 */
export function declareGrowthTests(cases: readonly GrowthCase[]): void {
  describe('growing inputs', () => {
    const stack = new AsyncDisposableStack();
    let service: Measured;
    beforeAll(async () => {
      service = stack.use(await startService(SERVICE_SETTINGS, { stores: true }));
    });
    afterAll(() => stack.disposeAsync());

    it.each(cases)('stay within their limits: $name', async (each) => {
      const rows = await measure(each, service, each.sizes.slice(0, Math.ceil(each.sizes.length / 2)), false);

      expect(brokenLimits(each, rows)).toEqual([]);
    });
  });
}
