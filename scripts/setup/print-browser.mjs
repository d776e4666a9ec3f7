// Runs on the packaged Node: the built service needs it. Prints the browser as JSON, or one sentence and exit code 1.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const built = pathToFileURL(join(process.cwd(), 'dist', 'browser', 'executable.js'));
if (existsSync('.env')) process.loadEnvFile('.env');
const { BROWSER_EXECUTABLE, HOME = '', PATH = '' } = process.env;
try {
  const { findBrowser } = await import(built.href);
  const browser = await findBrowser({ executable: BROWSER_EXECUTABLE || undefined, path: PATH, home: HOME });
  process.stdout.write(JSON.stringify(browser));
} catch (error) {
  process.stderr.write(error.message);
  process.exitCode = 1;
}
