import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { SetupError, run } from './run.mjs';

/**
 * Puppeteer's installer. npm does not run it (package.json, "puppeteer"), because it is not needed if a browser exists.
 */
const INSTALLER = ['node_modules', 'puppeteer', 'install.mjs'];
const BASE_URL = 'PUPPETEER_CHROME_HEADLESS_SHELL_DOWNLOAD_BASE_URL';
const FIX =
  `allow outgoing connections (HTTPS_PROXY), set ${BASE_URL} to a mirror, install Chromium ` +
  '(on Debian: apt-get install chromium-headless-shell), or set BROWSER_EXECUTABLE to the full path of a browser.';
/** Short reasons for messages of the installer. */
const REASONS =
  /server returned code \d+|\b(?:ECONNREFUSED|ENOTFOUND|ETIMEDOUT|ECONNRESET|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ENOSPC|EACCES|EROFS|CERT_\w+|SELF_SIGNED_\w+|UNABLE_TO_\w+)\b|connection closed before the download completed|expected \d+ bytes, received \d+ bytes|platform is not supported|Extraction failed[^\n]{0,80}/;
const LEFT_BY_AN_EARLIER_ONE = /The browser folder \(([^)]+)\) exists but the executable/;

/**
 * Downloads Puppeteer's version of the headless shell into Puppeteer's cache, where the service finds it. Uses the
 * user's proxy and mirror. @throws SetupError if PUPPETEER_SKIP_DOWNLOAD forbids the download, or if it fails
 */
export async function downloadBrowser(root, { node, report }) {
  if (isForbidden(process.env)) {
    throw new SetupError(
      'No browser was found, and PUPPETEER_SKIP_DOWNLOAD forbids the download; unset it, install Chromium, ' +
        'or set BROWSER_EXECUTABLE to the full path of a browser.',
    );
  }
  const startedAt = Date.now();
  let output = await runInstaller(root, { node, report });
  const [, unfinished] = LEFT_BY_AN_EARLIER_ONE.exec(output) ?? [];
  if (unfinished !== undefined) {
    rmSync(unfinished, { recursive: true, force: true });
    output = await runInstaller(root, { node, report });
  }
  if (output.includes('downloaded to')) {
    report(`browser downloaded in ${((Date.now() - startedAt) / 1000).toFixed(1)} s`);
    return;
  }
  const [reason = 'the installer gave no reason'] = REASONS.exec(output) ?? [];
  const from = process.env[BASE_URL] === undefined ? "Google's server" : BASE_URL;
  throw new SetupError(`No browser was found, and none could be downloaded from ${from} (${reason}); ${FIX}`);
}

/** Returns the installer's output. Its exit code is 0 even after a failure, so that npm does not stop. */
async function runInstaller(root, { node, report }) {
  const { output } = await run(node, [join(root, ...INSTALLER)], {
    cwd: root,
    env: installerEnvironment(process.env),
    report,
    task: 'downloading a browser',
    onOutput: process.stderr.isTTY ? (chunk) => process.stderr.write(chunk) : undefined,
  });
  return output;
}

/**
 * Enables the download of the headless shell only, which package.json disables. Uses npm's proxy if the environment
 * names none.
 */
function installerEnvironment(environment) {
  const proxies = {
    HTTPS_PROXY: environment.npm_config_https_proxy ?? environment.npm_config_proxy,
    HTTP_PROXY: environment.npm_config_proxy,
    NO_PROXY: environment.npm_config_noproxy,
  };
  const given = Object.entries(proxies).filter(
    ([name, value]) => value && environment[name] === undefined && environment[name.toLowerCase()] === undefined,
  );
  return {
    ...environment,
    ...Object.fromEntries(given),
    npm_config_loglevel: 'notice', // `npm start --silent` would hide the path of the download
    NODE_USE_ENV_PROXY: '1',
    PUPPETEER_SKIP_DOWNLOAD: 'false',
    PUPPETEER_CHROME_SKIP_DOWNLOAD: 'true',
    PUPPETEER_CHROME_HEADLESS_SHELL_SKIP_DOWNLOAD: 'false',
    PUPPETEER_FIREFOX_SKIP_DOWNLOAD: 'true',
  };
}

function isForbidden(environment) {
  const names = ['PUPPETEER_SKIP_DOWNLOAD', 'PUPPETEER_CHROME_HEADLESS_SHELL_SKIP_DOWNLOAD'];
  return names.some((name) => !['', '0', 'false', 'off'].includes((environment[name] ?? '').toLowerCase()));
}
