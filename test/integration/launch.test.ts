import { afterEach, describe, expect, it } from 'vitest';
import type { LaunchedBrowser } from '../../src/browser/process/launch.ts';
import { createLog } from '../../src/log.ts';
import { launchUsualBrowser } from '../support/usual-browser.ts';

describe('a browser that is closed', () => {
  let browser: LaunchedBrowser | undefined;
  afterEach(() => browser?.close());

  // Its processes end one after the other, and the watch over it would report a loss.
  it('has not lost the processes that its pages come from', async () => {
    const log = createLog({ level: 'silent', format: 'json' });
    browser = await launchUsualBrowser(log);
    const { hasLostPageStarters } = browser;
    const seen = [hasLostPageStarters()];
    const looking = setInterval(() => {
      seen.push(hasLostPageStarters());
    }, 1);

    await browser.close();
    clearInterval(looking);
    seen.push(hasLostPageStarters());

    expect(seen).not.toContain(true);
  });
});
