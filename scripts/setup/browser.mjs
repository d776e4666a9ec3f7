import { statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { SetupError, run } from './run.mjs';

const SCRIPT = fileURLToPath(new URL('./print-browser.mjs', import.meta.url));
const SOURCES = {
  setting: 'from BROWSER_EXECUTABLE',
  system: 'from the system',
  'puppeteer-cache': "from Puppeteer's cache",
  embedded: 'from the npm packages',
};

/** The browser that the service will run, unpacked if need be. @throws SetupError when there is none */
export async function findBrowser(root, { node, say }) {
  const startedAt = Date.now();
  const { exitCode, output } = await run(node, [SCRIPT], { cwd: root, say, task: 'looking for a browser' });
  if (exitCode !== 0) throw new SetupError(output.trim());
  const { path, kind, source } = JSON.parse(output);
  return {
    description: `${kind} ${SOURCES[source]}, ${path}`,
    wasUnpacked: source === 'embedded' && statSync(path).ctimeMs >= startedAt,
  };
}
