import axe from 'axe-core';
import type { Page } from 'puppeteer';

/** What axe finds serious or critical on the page as it stands, in its words. */
export async function findViolations(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate(() => {
    const { run }: typeof axe = Reflect.get(globalThis, 'axe');
    return run(document, { resultTypes: ['violations'] });
  });
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')}: ${failureSummary}`),
    );
}
