import axe from 'axe-core';
import type { Page } from 'puppeteer';

/** Returns the axe violations on the current page, or inside of one element, in axe's words. */
export async function findViolations(page: Page, selector = 'html'): Promise<readonly string[]> {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate((scope) => {
    const { run }: typeof axe = Reflect.get(globalThis, 'axe');
    return run(scope, { resultTypes: ['violations'] });
  }, selector);
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')}: ${failureSummary}`),
  );
}
