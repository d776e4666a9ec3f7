import { describe, expect, it, vi } from 'vitest';
import { capture } from '../../support/http.ts';
import { startService } from '../../support/service.ts';

const WAIT = { timeout: 45_000, interval: 20 };

/** Hides /proc from the service alone: the browser needs it on Linux. */
const PRELOADED = `
  import fs from 'node:fs';
  import { syncBuiltinESMExports } from 'node:module';
  for (const name of ['readFileSync', 'readdirSync', 'writeFileSync']) {
    const real = fs[name];
    fs[name] = (path, ...rest) => {
      if (String(path).startsWith('/proc')) throw Object.assign(new Error('ENOENT: ' + path), { code: 'ENOENT' });
      return real(path, ...rest);
    };
  }
  syncBuiltinESMExports();
`;
const WITHOUT_PROC = {
  NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(PRELOADED)}`,
};

describe('a service on a system without /proc', () => {
  it('captures, reports what it cannot monitor, and replaces an unresponsive browser', async () => {
    await using service = await startService(WITHOUT_PROC);
    const before = await capture(service.url, { html_content: 'x' });

    process.kill(service.browserPid(), 'SIGSTOP');
    // Checks the log, not /health, which itself calls the browser: three missed answers take long enough on a busy
    // machine.
    await vi.waitFor(() => expect(service.output()).toContain('the browser does not answer: killing it'), WAIT);
    const after = await capture(service.url, { html_content: 'x' });

    expect([before.status, after.status]).toEqual([200, 200]);
    expect(service.logs()).toContainEqual(
      expect.objectContaining({
        level: 'warn',
        msg: 'this system has no /proc: memory and processor time of pages are not watched',
      }),
    );
    expect(await service.stop()).toBe(0);
  });
});
