import { statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { downloadBrowser } from './download-browser.mjs';
import { SetupError, run } from './run.mjs';

const SCRIPT = fileURLToPath(new URL('./print-browser.mjs', import.meta.url));
const SOURCES = {
  setting: 'from BROWSER_EXECUTABLE',
  system: 'from the system',
  'puppeteer-cache': "from Puppeteer's cache",
  embedded: 'from the npm packages',
};

const IS_CHOSEN = 2; // exit code of the script: BROWSER_EXECUTABLE is not a browser

/** Returns the browser of the service, and downloads or unpacks it if necessary. @throws SetupError if there is none */
export async function findBrowser(root, { node, report }) {
  const startedAt = Date.now();
  let answer = await look(root, { node, report });
  if (answer.exitCode !== 0 && answer.exitCode !== IS_CHOSEN) {
    report(`${firstSentence(answer.output)}: downloading the version that Puppeteer supports`);
    await downloadBrowser(root, { node, report });
    answer = await look(root, { node, report });
  }
  if (answer.exitCode !== 0) throw new SetupError(answer.output.trim());
  const { path, kind, source } = JSON.parse(answer.output);
  return {
    description: `${kind} ${SOURCES[source]}, ${path}`,
    wasUnpacked: source === 'embedded' && statSync(path).ctimeMs >= startedAt,
  };
}

function look(root, { node, report }) {
  return run(node, [SCRIPT], { cwd: root, report, task: 'looking for a browser' });
}

/** Removes the fix, because the set-up tries it next. */
function firstSentence(text) {
  return text.trim().split('; ', 1)[0];
}
