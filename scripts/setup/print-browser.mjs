// Runs on the packaged Node: the built service needs it. Prints the browser as JSON, or one sentence and exit code 1; 2 where the settings have chosen it.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const CHOSEN = 2;
const built = pathToFileURL(`${join(process.cwd(), 'dist', 'browser')}/`);
if (existsSync('.env')) process.loadEnvFile('.env');
const executable = process.env.BROWSER_EXECUTABLE || undefined;
try {
  const { findBrowser } = await import(new URL('find/executable.js', built).href);
  const { browserEnvironment } = await import(new URL('find/browser-environment.js', built).href);
  const browser = await findBrowser({ ...browserEnvironment(process.env).search, executable });
  process.stdout.write(JSON.stringify(browser));
} catch (error) {
  process.stderr.write(error.message);
  process.exitCode = executable === undefined ? 1 : CHOSEN;
}
