import { homedir } from 'node:os';
import { launch } from 'puppeteer';
import { browserEnvironment } from '../dist/core/browser/find/browser-environment.js';
import { findBrowser } from '../dist/core/browser/find/executable.js';
import { launchFlags } from '../dist/core/browser/process/launch-flags.js';
import { readEnvironment } from '../dist/core/config/environment.js';
import { loadConfig } from '../dist/core/config/load.js';
import { PART_SETTINGS } from '../dist/part-settings.js';
import { CAPTURE_LIMIT_MS } from './jobs.mjs';

/**
 * Starts the service's browser with its flags and environment for a plain Puppeteer script. It has no gate and connects
 * directly. The caller closes it.
 */
export async function launchPlainBrowser() {
  const environment = readEnvironment();
  const { search, variables } = browserEnvironment(environment);
  const { browserExecutable, browserSandbox } = loadConfig(environment, PART_SETTINGS);
  const executable = await findBrowser({ ...search, executable: browserExecutable });
  const start = (sandbox) =>
    launch({
      ...launchFlags({ sandbox, gated: false }),
      executablePath: executable.path,
      headless: executable.kind === 'headless-shell' ? 'shell' : true,
      pipe: true,
      env: { ...variables, ...executable.environment, HOME: homedir() },
      defaultViewport: null,
      protocolTimeout: CAPTURE_LIMIT_MS,
    });
  if (browserSandbox !== 'auto') return start(browserSandbox);
  return start(true).catch(() => start(false));
}
