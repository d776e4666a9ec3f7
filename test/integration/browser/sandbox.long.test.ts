import { describe, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { capture } from '../../support/http.ts';
import {
  AS_USER,
  isThere,
  makesUserNamespaces,
  WITHOUT_CHROOT,
  WITHOUT_USER_NAMESPACES,
} from '../../support/machines.ts';
import { readHealth, type RunningService, startService } from '../../support/service.ts';

/** Returns the sandbox state that operators see. */
async function readSandbox(service: RunningService) {
  await eventually(() => expect(messages(service)).toContain('ready to capture'));
  const { browser } = await readHealth(service.url);
  return {
    health: browser.sandbox,
    log: service.logs().find(({ msg }) => msg === 'ready to capture')?.['sandbox'],
    warnings: service.logs().flatMap(({ msg, reasons }) => (msg.includes('without its sandbox') ? [reasons] : [])),
  };
}

describe('for a user other than root', () => {
  it.skipIf(!isThere(AS_USER) || !makesUserNamespaces(AS_USER))(
    'the browser is sandboxed if user namespaces are available (needs user namespaces)',
    async () => {
      await using service = await startService({}, { machine: AS_USER });

      const answer = await capture(service.url, { html_content: 'x' });

      expect(answer.status).toBe(200);
      expect(await readSandbox(service)).toEqual({ health: true, log: true, warnings: [] });
    },
  );

  // The service stayed at 503 for ever: on Ubuntu since 23.10, and in every container with Docker's default profile.
  it.skipIf(!isThere(WITHOUT_USER_NAMESPACES)).each([
    ['there are no user namespaces', WITHOUT_USER_NAMESPACES],
    ['chroot is refused', WITHOUT_CHROOT],
  ])('the service captures without a sandbox if %s, and logs the reason once (needs perl)', async (_what, machine) => {
    await using service = await startService({ BROWSER_RECYCLE_AFTER: '1' }, { machine });

    const answers = [
      await capture(service.url, { html_content: 'first' }),
      await capture(service.url, { html_content: 'by the next browser' }),
    ];

    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(await readSandbox(service)).toEqual({
      health: false,
      log: false,
      warnings: [expect.arrayContaining(['seccomp'])],
    });
  });

  it.skipIf(!isThere(WITHOUT_USER_NAMESPACES))(
    'the service captures nothing if the sandbox is required but missing (needs perl)',
    async () => {
      await using service = await startService(
        { BROWSER_SANDBOX: 'true' },
        { machine: WITHOUT_USER_NAMESPACES, untilReady: false },
      );
      await eventually(() => expect(messages(service)).toContain('the browser does not start'));

      const answer = await capture(service.url, { html_content: 'x' });

      expect(answer.status).toBe(503);
      expect(service.output()).toContain('BROWSER_SANDBOX=true, and the browser does not start with its sandbox');
      expect((await readHealth(service.url)).browser).toMatchObject({ connected: false, sandbox: null });
    },
  );
});

function messages(service: RunningService): string[] {
  return service.logs().map(({ msg }) => msg);
}
