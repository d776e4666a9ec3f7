// Runs on the packaged Node, which the built service needs. Prints the browser as JSON. Without a browser it prints one
// sentence and ends with exit code 1, or 2 if a setting names the browser.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const CHOSEN = 2;
const built = pathToFileURL(`${join(process.cwd(), 'dist', 'core', 'browser')}/`);
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
