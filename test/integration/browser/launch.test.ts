import { afterEach, describe, expect, it } from 'vitest';
import type { LaunchedBrowser } from '../../../src/core/browser/process/launch.ts';
import { createLog } from '../../../src/core/ground/log.ts';
import { launchUsualBrowser } from '../../support/usual-browser.ts';

describe('a browser that is closed', () => {
  let browser: LaunchedBrowser | undefined;
  afterEach(() => browser?.close());

  // Browser processes end one after the other, and the watchdog could report a loss.
  it('does not report its processes as lost', async () => {
    const log = createLog({ level: 'silent', format: 'json' });
    browser = await launchUsualBrowser(log);
    const { hasLostPageStarters } = browser;
    const seen = [hasLostPageStarters()];
    const searching = setInterval(() => {
      seen.push(hasLostPageStarters());
    }, 1);

    await browser.close();
    clearInterval(searching);
    seen.push(hasLostPageStarters());

    expect(seen).not.toContain(true);
  });
});
