import { browserEnvironment } from '../../src/core/browser/find/browser-environment.ts';
import { findBrowser } from '../../src/core/browser/find/executable.ts';
import { launchBrowser, type LaunchedBrowser } from '../../src/core/browser/process/launch.ts';
import { createSandboxedLaunch } from '../../src/core/browser/process/sandbox.ts';
import type { Logger } from '../../src/core/ground/log.ts';

/** Launches the browser that the service would use on this machine, with the same sandbox. The caller closes it. */
export async function launchUsualBrowser(log: Logger): Promise<LaunchedBrowser> {
  const { search, variables } = browserEnvironment(process.env);
  const executable = await findBrowser({ ...search, executable: process.env['BROWSER_EXECUTABLE'] });
  const { launch } = createSandboxedLaunch({
    setting: 'auto',
    launch: (sandbox) => launchBrowser({ executable, sandbox, environment: variables, log }),
    log,
  });
  return launch();
}
