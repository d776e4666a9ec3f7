import { describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { capture } from '../support/http.ts';
import { readHealth, startService } from '../support/service.ts';

/** Takes /proc from the service alone: the browser needs it on Linux. */
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
  it('captures, says what it can not watch, and replaces a browser that does not answer', async () => {
    await using service = await startService(WITHOUT_PROC);
    const before = await capture(service.url, { html_content: 'x' });

    process.kill(service.browserPid(), 'SIGSTOP');
    await eventually(async () => expect((await readHealth(service.url)).browser.restarts).toBe(1));
    const after = await capture(service.url, { html_content: 'x' });

    expect([before.status, after.status]).toEqual([200, 200]);
    expect(service.logs()).toContainEqual(
      expect.objectContaining({
        level: 'warn',
        msg: 'this system has no /proc: pages are not watched for memory and processor time',
      }),
    );
    expect(await service.stop()).toBe(0);
  });
});
